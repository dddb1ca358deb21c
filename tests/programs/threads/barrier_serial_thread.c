// The one thread that the barrier singles out merges the parts; a second barrier shows the result to all.
// EXPECT: safe merged
#include <pthread.h>
pthread_barrier_t b;
int part[2], merged;
void *work(void *arg) {
  int me = (int)(long)arg;
  part[me] = me + 5;
  if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
    merged = part[0] + part[1];
  pthread_barrier_wait(&b);
  return (void *)(long)merged;
}
int main(void) {
  pthread_t x, y;
  pthread_barrier_init(&b, 0, 2);
  pthread_create(&x, 0, work, (void *)0);
  pthread_create(&y, 0, work, (void *)1);
  pthread_join(x, 0);
  pthread_join(y, 0);
  return 0;
}
