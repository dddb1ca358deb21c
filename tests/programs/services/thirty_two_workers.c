// EXPECT: race done
#include <pthread.h>
#include <unistd.h>
#include <stdio.h>
int tasks = 64, done;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg) {
    int i;
    for (i = 0; i < 2; i++) { usleep(100); pthread_mutex_lock(&lock); done++; pthread_mutex_unlock(&lock); }
    return NULL;
}
int main(void) {
    pthread_t t[32];
    int i;
    for (i = 0; i < 32; i++) pthread_create(&t[i], NULL, worker, NULL);
    while (tasks/2 > done) usleep(10000);
    for (i = 0; i < 32; i++) pthread_join(t[i], NULL);
    printf("%d\n", done);
    return 0;
}
