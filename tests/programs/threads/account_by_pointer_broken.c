// The number of moves is counted after the account was unlocked.
// EXPECT: race accounts[].moves
#include <pthread.h>
extern unsigned nondet(void);
struct account {
  pthread_mutex_t lock;
  int balance;
  int moves;
};
struct account accounts[4];
static void deposit(struct account *a, int amount) {
  pthread_mutex_lock(&a->lock);
  a->balance += amount;
  pthread_mutex_unlock(&a->lock);
  a->moves++;
}
void *teller(void *arg) {
  unsigned i = nondet() % 4;
  deposit(&accounts[i], 10);
  return 0;
}
int main(void) {
  pthread_t a, b;
  for (int i = 0; i < 4; i++) pthread_mutex_init(&accounts[i].lock, 0);
  pthread_create(&a, 0, teller, 0);
  pthread_create(&b, 0, teller, 0);
  deposit(&accounts[2], 5);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
