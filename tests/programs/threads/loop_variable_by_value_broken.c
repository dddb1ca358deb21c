// The address of the loop variable is passed: the threads read it while main counts on.
// EXPECT: race main::i
#include <pthread.h>
int seen[3];
void *mark(void *arg) {
  int number = *(int *)arg;
  seen[number % 3] = 1;
  return 0;
}
int main(void) {
  pthread_t t[3];
  int i;
  for (i = 0; i < 3; i++) pthread_create(&t[i], 0, mark, (void *)&i);
  for (i = 0; i < 3; i++) pthread_join(t[i], 0);
  return 0;
}
