// SimpleLock (section 4.1): a lock protects x; the paper's integers do not wrap.
// CIRC: --engine assume-guarantee --property all --ints math
// EXPECT: safe asserts
// EXPECT: safe x
#include <circ_locks.h>

int mx, x;

//@ assumes mx == \tid ==> mx' == \tid && x' == x;

circ_threads(1) void thread1(void) {
    acq(mx);
    x = x * x;
    x = x + 2;
    assert(x > 1);
    rel(mx);
}

circ_threads(1) void thread2(void) {
    acq(mx);
    x = 0;
    rel(mx);
}
