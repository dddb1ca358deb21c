// One thread takes the lock of the other object.
// EXPECT: race right.value
#include <pthread.h>
struct cell {
  pthread_mutex_t lock;
  int value;
};
struct cell left = {PTHREAD_MUTEX_INITIALIZER, 1}, right = {PTHREAD_MUTEX_INITIALIZER, 2};
static void add(struct cell *locked, struct cell *c, int n) {
  pthread_mutex_lock(&locked->lock);
  c->value += n;
  pthread_mutex_unlock(&locked->lock);
}
void *first(void *arg) {
  add(&left, &left, 3);
  add(&right, &right, 4);
  return 0;
}
void *second(void *arg) {
  add(&left, &left, 5);
  add(&left, &right, 6);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return left.value + right.value;
}
