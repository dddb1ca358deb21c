// Fork and join by pthreads: the invariant says too little of what the child leaves behind.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: unknown asserts
#include <assert.h>
#include <pthread.h>

int result;

//@ for main: assumes \done(child) ==> \done(child)';
//@ for child: assumes !\done(child) ==> !\done(child)' && result' == result;
//@ invariant \done(child) ==> result != 0;

void *child(void *unused) {
    result = 41;
    result = result + 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, child, 0);
    pthread_join(t, 0);
    assert(result == 42); // FAILS assertion
    result = 42;
    return 0;
}
