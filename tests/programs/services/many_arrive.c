// EXPECT: race winner
/* 40 threads that each do a phase under a lock; after the last has arrived, the barrier is open: then two write a global. */
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
extern void abort(void);
#define N 40
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t all = PTHREAD_COND_INITIALIZER;
int arrived, winner, table[N];
void *thread(void *arg) {
    int id = *(int *)arg;
    pthread_mutex_lock(&m);
    table[id] = id * id;
    arrived++;
    if (arrived == N) pthread_cond_broadcast(&all);
    while (arrived < N) pthread_cond_wait(&all, &m);
    pthread_mutex_unlock(&m);
    if (table[(id + 1) % N] > 100) winner = id;
    return 0;
}
int main(void) {
    pthread_t t[N];
    int id[N];
    for (int i = 0; i < N; i++) { id[i] = i; pthread_create(&t[i], 0, thread, &id[i]); }
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    return winner;
}
