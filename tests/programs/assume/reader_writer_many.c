// Any number of readers and writers share x under a reader-writer lock.
// CIRC: --engine assume-guarantee --property all
// EXPECT: safe asserts
// EXPECT: safe x
#include <circ_locks.h>

int w, x;
circ_set r;

//@ invariant r == \empty || w == 0;
//@ assumes (w == \tid <==> w' == \tid) && (\in(r) <==> \in(r'));
//@ assumes \in(r) || w == \tid ==> x' == x;

circ_thread void reader(void) {
    acq_read(w, r);
    int y = x;
    assert(y == x);
    rel_read(w, r);
}

circ_thread void writer(void) {
    acq_write(w, r);
    x = x + 1;
    rel_write(w, r);
}
