// The waiting thread tests the flag with "if" and trusts the wake-up, which may come for no reason.
// EXPECT: race result
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
  if (!ready) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  result = result + 1;
  return 0;
}
