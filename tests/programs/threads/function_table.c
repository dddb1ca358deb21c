// Work is dispatched through a constant table of functions, each of which locks.
// EXPECT: safe done
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int done;
static void small(void) {
  pthread_mutex_lock(&m);
  done += 1;
  pthread_mutex_unlock(&m);
}
static void large(void) {
  pthread_mutex_lock(&m);
  done += 10;
  pthread_mutex_unlock(&m);
}
static void (*const table[2])(void) = {small, large};
void *run(void *arg) {
  table[(long)arg]();
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, run, (void *)0);
  pthread_create(&b, 0, run, (void *)1);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return done;
}
