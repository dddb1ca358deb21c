// A spin lock that waits on a plain read and then takes the lock with a plain write.
//
// EXPECT: race data
// EXPECT: race lock
//
// Two threads leave the waiting loop before either has written 1.
#include "circ.h"

int data;
int lock;

circ_thread void worker(void)
{
    while (1) {
        while (lock != 0) {
        }
        lock = 1;
        data = data + 1;
        lock = 0;
    }
}
