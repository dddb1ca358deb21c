// Every path out of the function releases the mutex, and none writes without it.
// EXPECT: safe stock
#include <pthread.h>
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
void assume_abort_if_not(int cond) {
  if (!cond) { abort(); }
}

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int stock = 2;
static int take(int n) {
  pthread_mutex_lock(&m);
  if (stock < n) {
    pthread_mutex_unlock(&m);
    return 0;
  }
  stock -= n;
  pthread_mutex_unlock(&m);
  return n;
}
void *buyer(void *arg) {
  int n = __VERIFIER_nondet_int();
  assume_abort_if_not(n >= 1 && n <= 3);
  take(n);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, buyer, 0);
  pthread_create(&b, 0, buyer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return stock;
}
