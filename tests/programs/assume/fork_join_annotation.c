// The parent does not assume that the result stays when the child is done.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: unknown asserts
#include <circ_locks.h>

_Bool started, done;
int argument, result;

//@ for parent: assumes started' == started && argument' == argument && (!started || done ==> done' == done);
//@ for child: assumes done' == done && (started ==> started' && argument' == argument) && (started && !done ==> result' == result);
//@ invariant (done ==> started && \true) && (!started ==> !done) && argument <= 100;

circ_threads(1) void parent(void) {
    argument = 41;
    started = 1;
    assume(done);
    assert(result == 42); // FAILS assertion
    result = result + 0;
}

circ_threads(1) void child(void) {
    assume(started);
    result = argument + 1;
    done = 1;
}
