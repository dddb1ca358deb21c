// The object is set up before its address can be found, and used under its own lock afterwards.
// EXPECT: safe malloc@main:26.uses
// EXPECT: safe shared
#include <pthread.h>
#include <stdlib.h>
struct object {
  int uses;
  pthread_mutex_t lock;
};
struct object *shared;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *user(void *arg) {
  pthread_mutex_lock(&m);
  struct object *o = shared;
  pthread_mutex_unlock(&m);
  if (o) {
    pthread_mutex_lock(&o->lock);
    o->uses++;
    pthread_mutex_unlock(&o->lock);
  }
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, user, 0);
  struct object *o = malloc(sizeof *o);
  if (o == NULL) return 1;
  o->uses = 1;
  pthread_mutex_init(&o->lock, 0);
  pthread_mutex_lock(&m);
  shared = o;
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&o->lock);
  o->uses++;
  pthread_mutex_unlock(&o->lock);
  pthread_join(t, 0);
  return 0;
}
