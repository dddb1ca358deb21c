// The lock is released by a plain write.
// EXPECT: race lock
#include <pthread.h>
int lock, shared;
static void acquire(void) {
  while (!__sync_bool_compare_and_swap(&lock, 0, 1))
    ;
}
static void release(void) { lock = 0; }
void *worker(void *arg) {
  acquire();
  shared++;
  release();
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  acquire();
  shared = 3;
  release();
  pthread_join(a, 0);
  pthread_join(b, 0);
  return shared;
}
