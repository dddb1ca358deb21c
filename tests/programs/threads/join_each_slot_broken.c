// Main adds to the result of the next worker, which may still run.
// EXPECT: race main::slot[].result
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
    slot[(i + 1) % N].result++;
  }
  return slot[3].result;
}
