// Threads are created and joined by helper functions, their handles kept in a structure.
// EXPECT: safe work_done
#include <pthread.h>
struct pool {
  pthread_t first, second;
  int running;
};
struct pool pool;
pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
int work_done;

void *run(void *arg) {
  pthread_mutex_lock(&guard);
  work_done++;
  pthread_mutex_unlock(&guard);
  return 0;
}
static void start(struct pool *p) {
  pthread_create(&p->first, 0, run, 0);
  pthread_create(&p->second, 0, run, 0);
  p->running = 2;
}
static void stop(struct pool *p) {
  pthread_join(p->first, 0);
  pthread_join(p->second, 0);
  p->running = 0;
}
int main(void) {
  start(&pool);
  stop(&pool);
  if (work_done != 2) return 1;
  return 0;
}
