// Two threads count up to a limit, main prints the sum after joining them.
//
// EXPECT: race counter
//
// The threads count without the mutex.
#include <pthread.h>
#include <stdio.h>

#define ROUNDS 100

static int counter;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < ROUNDS; i++) {
        counter++;
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_mutex_init(&mutex, NULL);
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", counter);
    return 0;
}
