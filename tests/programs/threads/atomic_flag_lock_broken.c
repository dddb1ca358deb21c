// The exchange is split into a load and a store, both atomic, but not together.
// EXPECT: race data
#include <pthread.h>
#include <stdatomic.h>
atomic_int busy;
int data;
static void enter(void) {
  while (atomic_load(&busy) != 0) {
  }
  atomic_store(&busy, 1);
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
