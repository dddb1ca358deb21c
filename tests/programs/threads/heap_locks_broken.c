// Locks from the heap, but not the same one: each thread counts with a lock of its own held.
//
// EXPECT: race total
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t *locks;
int total;

void *worker(void *arg)
{
    pthread_mutex_lock(&locks[1]);
    total++;
    pthread_mutex_unlock(&locks[1]);
    return NULL;
}

int main(void)
{
    pthread_t id;
    locks = malloc(4 * sizeof *locks);
    for (int i = 0; i < 4; i++)
        pthread_mutex_init(&locks[i], NULL);
    pthread_create(&id, NULL, worker, NULL);
    pthread_mutex_lock(&locks[2]);
    total++;
    pthread_mutex_unlock(&locks[2]);
    return 0;
}
