// The scratch variable is a static of the function and shared by both.
// EXPECT: race work::scratch
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int total;
void *work(void *arg) {
  static int scratch;
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
