// The second thread does not go through pthread_once.
// EXPECT: race table[]
#include <pthread.h>
pthread_once_t once = PTHREAD_ONCE_INIT;
int table[3];
static void fill(void) {
  table[0] = 1;
  table[1] = 2;
  table[2] = 4;
}
void *first(void *arg) {
  pthread_once(&once, fill);
  return (void *)(long)table[1];
}
void *second(void *arg) {
  return (void *)(long)(table[1] + table[2]);
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
