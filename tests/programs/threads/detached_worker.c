// A detached worker that nobody joins only touches what the mutex protects.
// EXPECT: safe ticks
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int ticks;
void *clock_thread(void *arg) {
  while (1) {
    pthread_mutex_lock(&m);
    ticks++;
    pthread_mutex_unlock(&m);
  }
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, clock_thread, 0);
  pthread_detach(t);
  int seen;
  do {
    pthread_mutex_lock(&m);
    seen = ticks;
    pthread_mutex_unlock(&m);
  } while (seen < 3);
  return seen;
}
