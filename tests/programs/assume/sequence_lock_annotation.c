// Readers do not assume that an even sequence number keeps a and b as they are.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: unknown asserts
#include <circ_locks.h>

unsigned seq;
int lock, a, b;

//@ assumes lock == \tid ==> lock' == \tid && seq' == seq && a' == a && b' == b;
//@ assumes seq' >= seq;
//@ invariant (seq % 2 == 0 ==> a == b) && (lock == 0 ==> seq % 2 == 0) && seq <= 1000;

circ_thread void writer(void) {
    acq(lock);
    assume(seq < 999);
    seq = seq + 1;
    a = nondet();
    b = a;
    seq = seq + 1;
    rel(lock);
}

circ_thread void reader(void) {
    unsigned before = seq;
    int x = a, y = b;
    unsigned after = seq;
    if (before % 2 == 0 && before == after)
        assert(x == y); // FAILS assertion
}
