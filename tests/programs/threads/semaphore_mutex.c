// A semaphore that starts at one is a mutex.
// EXPECT: safe balance
#include <pthread.h>
#include <semaphore.h>
sem_t s;
int balance = 100;
void *deposit(void *arg) {
  sem_wait(&s);
  balance += 10;
  sem_post(&s);
  return 0;
}
void *withdraw(void *arg) {
  sem_wait(&s);
  if (balance >= 10) balance -= 10;
  sem_post(&s);
  return 0;
}
int main(void) {
  pthread_t a, b;
  sem_init(&s, 0, 1);
  pthread_create(&a, 0, deposit, 0);
  pthread_create(&b, 0, withdraw, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  sem_destroy(&s);
  return 0;
}
