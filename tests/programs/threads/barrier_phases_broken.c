// The barrier is for one thread only, so it orders nothing.
// EXPECT: race old[]
#include <pthread.h>
pthread_barrier_t barrier;
int old[2], next[2];
void *step(void *arg) {
  int me = (int)(long)arg;
  old[me] = me + 1;
  pthread_barrier_wait(&barrier);
  next[me] = old[1 - me] * 2;
  return 0;
}
int main(void) {
  pthread_t t[2];
  pthread_barrier_init(&barrier, NULL, 1);
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, step, (void *)(long)i);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  pthread_barrier_destroy(&barrier);
  return next[0] + next[1];
}
