// Main looks at the results in the opposite order, so that it joins one worker and reads the result of another.
// EXPECT: race malloc@main:14[]
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

void *work(void *arg) {
  *(int *)arg = 7;
  return 0;
}

int main(void) {
  int n = __VERIFIER_nondet_int(), total = 0, i;
  int *result = malloc(n * sizeof(int));
  pthread_t *threads = malloc(n * sizeof(pthread_t));
  if (!result || !threads) return 1;
  for (i = 0; i < n; i++) {
    result[i] = 0;
    if (pthread_create(&threads[i], 0, work, &result[i]) != 0) exit(1);
  }
  for (i = 0; i < n; i++) {
    pthread_join(threads[i], 0);
    total += result[n - 1 - i];
  }
  return total;
}
