// The node is freed when nobody can find it any more.
// EXPECT: safe malloc@main:20.value
// EXPECT: safe shared
#include <pthread.h>
#include <stdlib.h>
struct node {
  int value;
};
struct node *shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *reader(void *arg) {
  pthread_mutex_lock(&m);
  struct node *p = shared;
  if (p) p->value++;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t t;
  shared = malloc(sizeof *shared);
  if (!shared) return 1;
  shared->value = 0;
  pthread_create(&t, 0, reader, 0);
  pthread_mutex_lock(&m);
  struct node *old = shared;
  shared = NULL;
  pthread_mutex_unlock(&m);
  free(old);
  pthread_join(t, 0);
  return 0;
}
