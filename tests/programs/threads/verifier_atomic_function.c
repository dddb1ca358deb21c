// A function whose name starts with __VERIFIER_atomic_ is executed in one piece.
// EXPECT: safe data
#include <pthread.h>
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
void assume_abort_if_not(int cond) {
  if (!cond) { abort(); }
}

int flag, data;
void __VERIFIER_atomic_acquire(void) {
  __VERIFIER_assume(flag == 0);
  flag = 1;
}
void __VERIFIER_atomic_release(void) {
  flag = 0;
}
void *thread(void *arg) {
  __VERIFIER_atomic_acquire();
  data = data + 1;
  __VERIFIER_atomic_release();
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, thread, 0);
  pthread_create(&b, 0, thread, 0);
  return 0;
}
