// The writer does not raise the sequence number before it writes.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: violated asserts
#include <circ_locks.h>

unsigned seq;
int lock, a, b;

//@ assumes lock == \tid ==> lock' == \tid && seq' == seq && a' == a && b' == b;
//@ assumes seq' >= seq && (seq' == seq && seq % 2 == 0 ==> a' == a && b' == b);
//@ invariant (seq % 2 == 0 ==> a == b) && (lock == 0 ==> seq % 2 == 0) && seq <= 1000;

circ_thread void writer(void) {
    acq(lock);
    assume(seq < 999);
    a = nondet(); // FAILS invariant
    b = a;
    seq = seq + 2;
    rel(lock);
}

circ_thread void reader(void) {
    unsigned before = seq;
    int x = a, y = b;
    unsigned after = seq;
    if (before % 2 == 0 && before == after)
        assert(x == y);
}
