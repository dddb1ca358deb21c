// A reader-writer lock that the writer takes for reading only.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: violated asserts
#include <circ_locks.h>

int w, x, y;
circ_set r;

//@ invariant r == \empty || w == 0;
//@ assumes (w == \tid <==> w' == \tid) && (\in(r) <==> \in(r'));
//@ assumes (\in(r) ==> x' == x) && (\tid == 2 ==> y' == y);

circ_threads(1) void thread1(void) {
    acq_read(w, r);
    x = 3;
    rel_read(w, r);
}

circ_threads(1) void thread2(void) {
    acq_read(w, r);
    y = x;
    assert(y == x); // FAILS assertion
    rel_read(w, r);
}
