// The last of eight threads is not joined before its cell is read.
// EXPECT: race result[]
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
  for (int i = 0; i < 7; i++) pthread_join(t[i], 0);
  for (int i = 0; i < 8; i++) sum += result[i];
  return sum;
}
