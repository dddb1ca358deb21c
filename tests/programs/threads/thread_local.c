// The scratch variable is thread-local; only the total is shared, under a mutex.
// EXPECT: safe total
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int total;
void *work(void *arg) {
  static __thread int scratch;
  for (int i = 0; i < 3; i++) scratch += i;
  pthread_mutex_lock(&m);
  total += scratch;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return total;
}
