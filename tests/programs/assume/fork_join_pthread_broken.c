// Fork without join: the parent looks too early.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: violated asserts
#include <assert.h>
#include <pthread.h>

int result;

//@ for main: assumes \done(child) ==> \done(child)' && result' == result;
//@ for child: assumes !\done(child) ==> !\done(child)' && result' == result;
//@ invariant \done(child) ==> result == 42;

void *child(void *unused) {
    result = 41;
    result = result + 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    assert(result == 42); // FAILS assertion
    result = 42;
    return 0;
}
