// The child joins a grandchild before it ends, so joining the child orders what the grandchild did.
// EXPECT: safe log_length
#include <pthread.h>
int log_length;
void *grandchild(void *arg) {
  log_length = log_length + 1;
  return 0;
}
void *child(void *arg) {
  pthread_t g;
  pthread_create(&g, 0, grandchild, 0);
  pthread_join(g, 0);
  log_length = log_length + 10;
  return 0;
}
int main(void) {
  pthread_t c;
  log_length = 1;
  pthread_create(&c, 0, child, 0);
  pthread_join(c, 0);
  log_length = log_length * 2;
  return 0;
}
