// A lazily initialised singleton: double-checked, with a lock around the second check.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: safe asserts
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
            value = 7;
            ready = 1;
        }
        rel(lock);
    }
    assert(value == 7);
}
