// Each of eight threads has a cell of its own, and main reads them when all have ended.
// EXPECT: safe result[]
#include <pthread.h>
int result[8];
void *worker(void *arg) {
  int *p = arg;
  *p = *p + 1;
  return 0;
}
int main(void) {
  pthread_t t[8];
  int sum = 0;
  for (int i = 0; i < 8; i++) pthread_create(&t[i], 0, worker, &result[i]);
  for (int i = 0; i < 8; i++) pthread_join(t[i], 0);
  for (int i = 0; i < 8; i++) sum += result[i];
  return sum;
}
