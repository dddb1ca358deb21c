// Main writes before the creation and after the join of the only thread that touches the variable.
// EXPECT: safe shared
#include <pthread.h>
int shared;
void *child(void *arg) {
  shared = shared * 2 + 1;
  return 0;
}
int main(void) {
  pthread_t id;
  shared = 20;
  pthread_create(&id, NULL, child, NULL);
  pthread_join(id, NULL);
  shared = shared + 1;
  return 0;
}
