// One cell and a flag: the producer writes the cell while the flag is down, the consumer reads it while it is up.
// CIRC: --engine assume-guarantee --property all
// EXPECT: safe asserts
// EXPECT: safe cell
#include <circ_locks.h>

_Bool full;
int cell;

//@ for producer: assumes !full ==> full' == full && cell' == cell;
//@ for consumer: assumes full ==> full' == full && cell' == cell;
//@ invariant full ==> cell > 0;

circ_threads(1) void producer(void) {
    int item = 1;
    //@ loop invariant item > 0;
    while (1) {
        //@ loop invariant item > 0;
        while (full) ;
        cell = item;
        full = 1;
        item = item < 100 ? item + 1 : 1;
    }
}

circ_threads(1) void consumer(void) {
    //@ loop invariant \true;
    while (1) {
        //@ loop invariant \true;
        while (!full) ;
        int got = cell;
        assert(got > 0);
        full = 0;
    }
}
