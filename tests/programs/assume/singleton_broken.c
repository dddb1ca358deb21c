// The flag is raised before the value is there.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: violated asserts
#include <circ_locks.h>

int lock, value;
_Bool ready;

//@ assumes lock == \tid ==> lock' == \tid && ready' == ready && value' == value;
//@ assumes ready ==> ready' && value' == value;
//@ invariant ready ==> value == 7;

circ_thread void user(void) {
    if (!ready) {
        acq(lock);
        if (!ready) {
            ready = 1; // FAILS invariant
            value = 7;
        }
        rel(lock);
    }
    assert(value == 7);
}
