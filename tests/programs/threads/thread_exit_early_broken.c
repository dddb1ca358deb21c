// It ends after a last write outside the mutex.
// EXPECT: race state
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int state;
static void finish(void) {
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  state = 2;
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
