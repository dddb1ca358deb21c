// A reader-writer lock (section 6.2): x does not change while a thread reads.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: safe asserts
#include <circ_locks.h>

int w, x, y;
circ_set r;

//@ invariant r == \empty || w == 0;
//@ assumes (w == \tid <==> w' == \tid) && (\in(r) <==> \in(r'));
//@ assumes (\in(r) ==> x' == x) && (\tid == 2 ==> y' == y);

circ_threads(1) void thread1(void) {
    acq_write(w, r);
    x = 3;
    rel_write(w, r);
}

circ_threads(1) void thread2(void) {
    acq_read(w, r);
    y = x;
    assert(y == x);
    rel_read(w, r);
}
