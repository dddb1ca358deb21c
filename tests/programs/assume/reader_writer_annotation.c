// A reader-writer lock whose readers do not assume that x stays: the assertion does not follow.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: unknown asserts
#include <circ_locks.h>

int w, x, y;
circ_set r;

//@ invariant r == \empty || w == 0;
//@ assumes (w == \tid <==> w' == \tid) && (\in(r) <==> \in(r'));
//@ assumes (\in(r) ==> \in(r')) && (\tid == 2 ==> y' == y);

circ_threads(1) void thread1(void) {
    acq_write(w, r);
    x = 3;
    rel_write(w, r);
}

circ_threads(1) void thread2(void) {
    acq_read(w, r);
    y = x;
    assert(y == x); // FAILS assertion
    rel_read(w, r);
}
