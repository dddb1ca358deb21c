// The second thread calls it without the mutex.
// EXPECT: race sum
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int sum;
static void visit(int depth) {
  if (depth == 0) return;
  sum += depth;
  visit(depth - 1);
  visit(depth - 1);
}
void *one(void *arg) {
  pthread_mutex_lock(&m);
  visit(3);
  pthread_mutex_unlock(&m);
  return 0;
}
void *two(void *arg) {
  visit(2);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return sum;
}
