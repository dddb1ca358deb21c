// Handle and result of a worker are in one element; main adds to the result when it has joined that worker, while the
// others still run.
// EXPECT: safe main::slot[].result
#include <pthread.h>
#define N 9
struct slot { pthread_t thread; int result; };

void *work(void *arg) {
  struct slot *mine = arg;
  mine->result = 5;
  return 0;
}

int main(void) {
  struct slot slot[N];
  for (int i = 0; i < N; i++) pthread_create(&slot[i].thread, 0, work, &slot[i]);
  for (int i = 0; i < N; i++) {
    pthread_join(slot[i].thread, 0);
    slot[i].result++;
  }
  return slot[3].result;
}
