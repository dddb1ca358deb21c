// SimpleLock in which the second thread takes no lock.
// CIRC: --engine assume-guarantee --property asserts --ints math
// EXPECT: violated asserts
#include <circ_locks.h>

int mx, x;

//@ assumes mx == \tid ==> mx' == \tid && x' == x;

circ_threads(1) void thread1(void) {
    acq(mx);
    x = x * x;
    x = x + 2;
    assert(x > 1); // FAILS assertion
    rel(mx);
}

circ_threads(1) void thread2(void) {
    x = 0;
}
