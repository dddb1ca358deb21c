// Every worker writes the slot of the results array whose index it was given, and main sums them up after the
// joins.
// EXPECT: safe results[]
#include <pthread.h>
#include <stdlib.h>
#define N 4
int results[N];

void *compute(void *arg) {
  int index = (int)(long)arg;
  int sum = 0;
  for (int i = 0; i <= index; i++) sum += i * i;
  results[index] = sum;
  return 0;
}

int main(void) {
  pthread_t t[N];
  int sum = 0;
  for (int i = 0; i < N; i++)
    if (pthread_create(&t[i], 0, compute, (void *)(long)(i)) != 0) abort();
  for (int i = 0; i < N; i++) pthread_join(t[i], 0);
  for (int i = 0; i < N; i++) sum += results[i];
  return sum;
}
