// The write happens only if the attempt to lock has succeeded.
// EXPECT: safe hits
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int hits;
void *visitor(void *arg) {
  if (pthread_mutex_trylock(&m) == 0) {
    hits++;
    pthread_mutex_unlock(&m);
  }
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, visitor, 0);
  pthread_create(&b, 0, visitor, 0);
  pthread_create(&c, 0, visitor, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return hits;
}
