// Fork and join by pthreads: what the child leaves behind is known when it has ended.
// CIRC: --engine assume-guarantee --property all
// EXPECT: safe asserts
// EXPECT: safe result
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
    pthread_join(t, 0);
    assert(result == 42);
    result = 42;
    return 0;
}
