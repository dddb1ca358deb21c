// Dekker's algorithm in which the first thread does not look at the other's flag.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: violated asserts
#include <circ_locks.h>

_Bool a1, a2, cs1, cs2;

//@ for thread1: assumes a1' == a1 && cs1' == cs1;
//@ for thread2: assumes a2' == a2 && cs2' == cs2;
//@ invariant !(cs1 && cs2) && (cs1 ==> a1) && (cs2 ==> a2);

circ_threads(1) void thread1(void) {
    //@ loop invariant !cs1;
    while (1) {
        a1 = 1;
        cs1 = 1; // FAILS invariant
        if (cs1) {
            assert(!cs2);
            cs1 = 0;
        }
        a1 = 0;
    }
}

circ_threads(1) void thread2(void) {
    //@ loop invariant !cs2;
    while (1) {
        a2 = 1;
        atomic { cs2 = !a1; }
        if (cs2) {
            assert(!cs1);
            cs2 = 0;
        }
        a2 = 0;
    }
}
