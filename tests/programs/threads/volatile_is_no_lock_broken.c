// The flag is only volatile, so the accesses to it race; those to the payload do not.
// EXPECT: race flag
// EXPECT: safe payload
#include <pthread.h>
#include <stdatomic.h>
volatile int flag;
int payload;
void *writer(void *arg) {
  payload = 99;
  flag = 1;
  return 0;
}
void *reader(void *arg) {
  while (!flag) {
  }
  return (void *)(long)payload;
}
int main(void) {
  pthread_t w, r;
  pthread_create(&w, 0, writer, 0);
  pthread_create(&r, 0, reader, 0);
  pthread_join(w, 0);
  pthread_join(r, 0);
  return 0;
}
