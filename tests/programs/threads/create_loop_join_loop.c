// Three workers, created and joined in loops of a known length, add to a total under a mutex; main reads it
// after the last join.
// EXPECT: safe total
#include <pthread.h>
#include <stdio.h>
#define WORKERS 3
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total;

static void *worker(void *arg) {
  long number = (long)arg;
  for (int i = 0; i < 4; i++) {
    pthread_mutex_lock(&lock);
    total += (int)number;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[WORKERS];
  for (long i = 0; i < WORKERS; i++)
    pthread_create(&threads[i], NULL, worker, (void *)i);
  for (int i = 0; i < WORKERS; i++)
    pthread_join(threads[i], NULL);
  printf("%d\n", total);
  return 0;
}
