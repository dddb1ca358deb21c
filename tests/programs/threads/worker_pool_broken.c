// The workers are told to stop without the lock.
// EXPECT: race stop
#include <pthread.h>
int queue[8], count, stop;
int done;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, d = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *worker(void *arg) {
  for (;;) {
    pthread_mutex_lock(&m);
    while (count == 0 && !stop) pthread_cond_wait(&c, &m);
    if (count == 0) {
      pthread_mutex_unlock(&m);
      return 0;
    }
    int job = queue[--count];
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&d);
    done += job;
    pthread_mutex_unlock(&d);
  }
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  for (int i = 0; i < 8; i++) {
    pthread_mutex_lock(&m);
    if (count < 8) queue[count++] = i;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
  }
  stop = 1;
  pthread_cond_broadcast(&c);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return done;
}
