// A thread that cannot get the mutex in time goes without the write.
// EXPECT: safe slot
#include <pthread.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int slot;
void *put(void *arg) {
  struct timespec until;
  until.tv_sec = 1;
  until.tv_nsec = 0;
  int failed = pthread_mutex_timedlock(&m, &until);
  if (failed) return 0;
  slot = slot + 1;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, put, 0);
  pthread_create(&b, 0, put, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return slot;
}
