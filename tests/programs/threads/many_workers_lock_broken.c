// Main looks at the counter without the mutex while workers run.
// EXPECT: race counter
#include <pthread.h>
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
void assume_abort_if_not(int cond) {
  if (!cond) { abort(); }
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int counter = 0;

void *worker(void *arg) {
  pthread_mutex_lock(&mutex);
  counter++;
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  assume_abort_if_not(n > 0 && n < 1000);
  for (int i = 0; i < n; i++) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
  }
  int seen = counter;
  return seen;
}
