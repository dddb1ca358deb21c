// Atomic sections of the competition's vocabulary around every access.
// EXPECT: safe x
// EXPECT: safe y
#include <pthread.h>
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
void assume_abort_if_not(int cond) {
  if (!cond) { abort(); }
}

int x = 1, y = 1;
void *t1(void *arg) {
  __VERIFIER_atomic_begin();
  x = x + y;
  __VERIFIER_atomic_end();
  return 0;
}
void *t2(void *arg) {
  __VERIFIER_atomic_begin();
  y = x + y;
  __VERIFIER_atomic_end();
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, t1, 0);
  pthread_create(&b, 0, t2, 0);
  __VERIFIER_atomic_begin();
  int limit = x > 3 || y > 3;
  __VERIFIER_atomic_end();
  if (limit) goto ERROR;
  return 0;
ERROR:
  abort();
  return -1;
}
