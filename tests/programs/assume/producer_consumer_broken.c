// The producer raises the flag before it fills the cell.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: violated asserts
#include <circ_locks.h>

_Bool full;
int cell;

//@ for producer: assumes !full ==> full' == full && cell' == cell;
//@ for consumer: assumes full ==> full' == full && cell' == cell;
//@ invariant full ==> cell > 0;

circ_threads(1) void producer(void) {
    int item = 1;
    //@ loop invariant item > 0;
    while (1) {
        //@ loop invariant item > 0;
        while (full) ;
        full = 1; // FAILS invariant
        cell = item;
        item = item < 100 ? item + 1 : 1;
    }
}

circ_threads(1) void consumer(void) {
    //@ loop invariant \true;
    while (1) {
        //@ loop invariant \true;
        while (!full) ;
        int got = cell;
        assert(got > 0);
        full = 0;
    }
}
