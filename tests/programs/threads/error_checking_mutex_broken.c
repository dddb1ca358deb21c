// A plain mutex is released by anybody: the thief lets a second one in.
// EXPECT: race value
#include <pthread.h>
pthread_mutex_t m;
int value;
void *worker(void *arg) {
  pthread_mutex_lock(&m);
  value++;
  pthread_mutex_unlock(&m);
  return 0;
}
void *thief(void *arg) {
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_NORMAL);
  pthread_mutex_init(&m, &kind);
  pthread_create(&a, 0, worker, 0);
  pthread_create(&b, 0, worker, 0);
  pthread_create(&c, 0, thief, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return value;
}
