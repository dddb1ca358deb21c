// main counts on while the threads it created read the index.
// EXPECT: race next
#include <pthread.h>
#include <stdlib.h>
#define N 16
int *array;
int next = -1;
void *worker(void *arg) {
  array[next] = 1;
  return 0;
}
int main(void) {
  pthread_t *t = malloc(sizeof(pthread_t) * N);
  array = malloc(sizeof(int) * N);
  for (int i = 0; i < N; i++) {
    next++;
    pthread_create(&t[i], 0, worker, 0);
  }
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  return 0;
}
