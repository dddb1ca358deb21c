// A thread-local variable is not private once its address was given away.
// EXPECT: race counter
// EXPECT: safe published
#include <pthread.h>
__thread int counter;
int *published;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *worker(void *arg) {
  counter = 1;
  pthread_mutex_lock(&m);
  published = &counter;
  pthread_mutex_unlock(&m);
  counter++;
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  pthread_mutex_lock(&m);
  int *p = published;
  pthread_mutex_unlock(&m);
  if (p) (*p)++;
  return 0;
}
