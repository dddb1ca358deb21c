// A lock of compare-and-swap: only who changed it from 0 to 1 goes on.
// EXPECT: safe shared
// EXPECT: safe lock
#include <pthread.h>
int lock, shared;
static void acquire(void) {
  while (!__sync_bool_compare_and_swap(&lock, 0, 1))
    ;
}
static void release(void) { __sync_lock_release(&lock); }
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
