// A bounded buffer with two condition variables; every access holds the mutex, waits are in loops.
// EXPECT: safe count
// EXPECT: safe buffer[]
#include <pthread.h>
#define SIZE 2
int buffer[SIZE];
int count;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

void *producer(void *arg) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&m);
    while (count == SIZE) pthread_cond_wait(&not_full, &m);
    buffer[count] = i;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&m);
  }
  return 0;
}
void *consumer(void *arg) {
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&m);
    while (count == 0) pthread_cond_wait(&not_empty, &m);
    count--;
    int at = count;
    sum += buffer[at];
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&m);
  }
  return 0;
}
int main(void) {
  pthread_t p, c;
  pthread_create(&p, 0, producer, 0);
  pthread_create(&c, 0, consumer, 0);
  pthread_join(p, 0);
  pthread_join(c, 0);
  return 0;
}
