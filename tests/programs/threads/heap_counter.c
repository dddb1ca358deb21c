// A structure on the heap with its own mutex is shared by address.
// EXPECT: safe malloc@main:19.count
#include <pthread.h>
#include <stdlib.h>
struct counter {
  pthread_mutex_t m;
  int count;
};
void *bump(void *arg) {
  struct counter *c = arg;
  pthread_mutex_lock(&c->m);
  c->count++;
  pthread_mutex_unlock(&c->m);
  return 0;
}

int main(void) {
  pthread_t t;
  struct counter *c = malloc(sizeof *c);
  if (!c) return 1;
  pthread_mutex_init(&c->m, 0);
  c->count = 0;
  pthread_create(&t, 0, bump, c);
  pthread_mutex_lock(&c->m);
  c->count += 2;
  pthread_mutex_unlock(&c->m);
  pthread_join(t, 0);
  int n = c->count;
  free(c);
  return n;
}
