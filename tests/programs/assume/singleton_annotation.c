// The assumption allows that what is ready becomes something else: a thread that waits for it does not know better.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: unknown asserts
#include <circ_locks.h>

int lock, value;
_Bool ready;

//@ assumes lock == \tid ==> lock' == \tid && ready' == ready && value' == value;
//@ invariant ready ==> value != 0;

circ_thread void user(void) {
    if (!ready) {
        acq(lock);
        if (!ready) {
            value = 7;
            ready = 1;
        }
        rel(lock);
    }
    assert(value == 7); // FAILS assertion
}
