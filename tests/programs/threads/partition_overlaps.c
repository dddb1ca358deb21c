// Each part of the array is one element too long: the neighbour has it too, a hundred iterations later.
// EXPECT: race data[]
#include <pthread.h>
#define THREADS 4
#define SIZE 100
int data[SIZE];
void *worker(void *arg) {
  long id = (long)arg;
  for (int i = id * (SIZE / THREADS); i < (id + 1) * (SIZE / THREADS) + 1 && i < SIZE; i++) data[i] *= 2;
  return 0;
}
int main(void) {
  pthread_t t[THREADS];
  for (int i = 0; i < SIZE; i++) data[i] = i;
  for (long i = 0; i < THREADS; i++) pthread_create(&t[i], 0, worker, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(t[i], 0);
  return data[0];
}
