// One of the accesses to the counter is a plain read by GCC's builtin neighbour: that is a race with the atomic
// ones.
// EXPECT: race counter
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
  int seen = counter;
  pthread_join(a, 0);
  pthread_join(b, 0);
  return seen;
}
