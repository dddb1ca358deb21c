// The second thread uses no mutex for one of its writes.
// EXPECT: race depth_sum
#define _GNU_SOURCE
#include <pthread.h>
pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int depth_sum;
void *a(void *arg) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  depth_sum += 2;
  pthread_mutex_unlock(&m);
  depth_sum += 1;
  pthread_mutex_unlock(&m);
  return 0;
}
void *b(void *arg) {
  depth_sum -= 1;
  return 0;
}
int main(void) {
  pthread_t x, y;
  pthread_create(&x, 0, a, 0);
  pthread_create(&y, 0, b, 0);
  return 0;
}
