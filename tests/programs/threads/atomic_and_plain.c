// All accesses to the counter are atomic.
// EXPECT: safe counter
#include <pthread.h>
int counter;
void *worker(void *arg) {
  __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  int seen = __atomic_load_n(&counter, __ATOMIC_SEQ_CST);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return seen;
}
