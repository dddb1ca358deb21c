// The inner function releases twice, so the outer one writes without the mutex.
// EXPECT: race balance
#include <pthread.h>
pthread_mutex_t lock;
int balance, history;
static void record(int amount) {
  pthread_mutex_lock(&lock);
  history += amount;
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&lock);
}
static void pay(int amount) {
  pthread_mutex_lock(&lock);
  record(amount);
  balance += amount;
  pthread_mutex_unlock(&lock);
}
void *customer(void *arg) {
  pay(5);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &kind);
  pthread_create(&t, 0, customer, 0);
  pay(7);
  pthread_join(t, 0);
  return balance + history;
}
