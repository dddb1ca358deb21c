// A spin lock made of a C11 atomic flag by compare and exchange.
// EXPECT: safe data
#include <pthread.h>
#include <stdatomic.h>
atomic_int busy;
int data;
static void enter(void) {
  int expected = 0;
  while (!atomic_compare_exchange_strong(&busy, &expected, 1)) expected = 0;
}
static void leave(void) { atomic_store(&busy, 0); }
void *worker(void *arg) {
  enter();
  data++;
  leave();
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return data;
}
