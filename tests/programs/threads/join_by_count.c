// Threads are counted when they are created and when they end; main reads data once the count is 0.
// EXPECT: safe data
// EXPECT: safe alive
#include <pthread.h>
int nondet(void);
int data, alive;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, count_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
void *worker(void *arg) {
  pthread_mutex_lock(&lock);
  data = data + 1;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&count_lock);
  alive--;
  pthread_cond_signal(&ended);
  pthread_mutex_unlock(&count_lock);
  return 0;
}
int main(void) {
  while (nondet()) {
    pthread_t t;
    pthread_mutex_lock(&count_lock);
    alive++;
    pthread_mutex_unlock(&count_lock);
    pthread_create(&t, 0, worker, 0);
  }
  pthread_mutex_lock(&count_lock);
  while (alive != 0) pthread_cond_wait(&ended, &count_lock);
  pthread_mutex_unlock(&count_lock);
  return data;
}
