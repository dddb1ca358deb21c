// Main writes between creation and join.
// EXPECT: race shared
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
  shared = shared + 1;
  pthread_join(id, NULL);
  return 0;
}
