// SimpleLock whose assumption forgets x: the assertion does not follow, though no run breaks it.
// CIRC: --engine assume-guarantee --property asserts --ints math
// EXPECT: unknown asserts
#include <circ_locks.h>

int mx, x;

//@ assumes mx == \tid ==> mx' == \tid;

circ_threads(1) void thread1(void) {
    acq(mx);
    x = x * x;
    x = x + 2;
    assert(x > 1); // FAILS assertion
    rel(mx);
}

circ_threads(1) void thread2(void) {
    acq(mx);
    x = 0;
    rel(mx);
}
