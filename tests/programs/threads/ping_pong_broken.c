// The second thread posts its own semaphore: it takes two turns in a row.
// EXPECT: race ball
#include <pthread.h>
#include <semaphore.h>
sem_t ping, pong;
int ball;
void *left(void *arg) {
  for (int i = 0; i < 2; i++) {
    sem_wait(&ping);
    ball = ball + 1;
    sem_post(&pong);
  }
  return 0;
}
void *right(void *arg) {
  for (int i = 0; i < 2; i++) {
    sem_wait(&pong);
    sem_post(&ping);
    ball = ball - 1;
  }
  return 0;
}
int main(void) {
  pthread_t l, r;
  sem_init(&ping, 0, 1);
  sem_init(&pong, 0, 0);
  pthread_create(&l, 0, left, 0);
  pthread_create(&r, 0, right, 0);
  pthread_join(l, 0);
  pthread_join(r, 0);
  return ball;
}
