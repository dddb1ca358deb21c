// A result is handed over under a condition variable: the flag says that it is there, and it is not written
// again.
// EXPECT: safe result
// EXPECT: safe ready
#include <pthread.h>
int result, ready;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

void *compute(void *arg) {
  result = 42;
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, compute, 0);
  pthread_mutex_lock(&m);
  while (!ready) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  result = result + 1;
  return 0;
}
