// The child says that it is done before it is.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: violated asserts
#include <circ_locks.h>

_Bool started, done;
int argument, result;

//@ for parent: assumes started' == started && argument' == argument && (!started || done ==> done' == done && result' == result);
//@ for child: assumes done' == done && (started ==> started' && argument' == argument) && (started && !done ==> result' == result);
//@ invariant (done ==> started && result == argument + 1) && (!started ==> !done) && argument <= 100;

circ_threads(1) void parent(void) {
    argument = 41;
    started = 1;
    assume(done);
    assert(result == 42);
    result = result + 0;
}

circ_threads(1) void child(void) {
    assume(started);
    done = 1; // FAILS invariant
    result = argument + 1;
}
