// A thread ends by pthread_exit inside a helper, after it has released the mutex.
// EXPECT: safe state
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int state;
static void finish(void) {
  pthread_mutex_lock(&m);
  state = 2;
  pthread_mutex_unlock(&m);
  pthread_exit(NULL);
}
void *worker(void *arg) {
  pthread_mutex_lock(&m);
  int over = state == 1;
  pthread_mutex_unlock(&m);
  if (over) finish();
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  pthread_mutex_lock(&m);
  state = 1;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  if (state == 2) state = 3;
  pthread_mutex_unlock(&m);
  pthread_exit(NULL);
}
