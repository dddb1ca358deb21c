// The loop variable is passed by value: every thread has its own number.
// EXPECT: safe seen[]
#include <pthread.h>
int seen[3];
void *mark(void *arg) {
  int number = (int)(long)arg;
  seen[number % 3] = 1;
  return 0;
}
int main(void) {
  pthread_t t[3];
  int i;
  for (i = 0; i < 3; i++) pthread_create(&t[i], 0, mark, (void *)(long)i);
  for (i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
