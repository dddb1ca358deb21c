// Double-checked initialisation through a plain pointer.
// EXPECT: race config
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int *config;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int get(void) {
  int *p = config;
  if (!p) {
    pthread_mutex_lock(&m);
    p = config;
    if (!p) {
      p = malloc(sizeof(int));
      if (!p) exit(1);
      *p = 5;
      config = p;
    }
    pthread_mutex_unlock(&m);
  }
  return *p;
}
void *user(void *arg) {
  get();
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, user, 0);
  pthread_create(&b, 0, user, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
