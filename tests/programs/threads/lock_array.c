// Account i is protected by lock i; a transfer takes both locks.
// EXPECT: safe accounts[]
#include <pthread.h>
#define N 3
pthread_mutex_t locks[N];
int accounts[N] = {50, 50, 50};
static void transfer(int from, int to, int amount) {
  int first = from < to ? from : to;
  int second = from < to ? to : from;
  pthread_mutex_lock(&locks[first]);
  pthread_mutex_lock(&locks[second]);
  accounts[from] -= amount;
  accounts[to] += amount;
  pthread_mutex_unlock(&locks[second]);
  pthread_mutex_unlock(&locks[first]);
}
void *one(void *arg) {
  transfer(0, 1, 5);
  return 0;
}
void *two(void *arg) {
  transfer(2, 1, 7);
  return 0;
}
int main(void) {
  pthread_t a, b;
  for (int i = 0; i < N; i++) pthread_mutex_init(&locks[i], 0);
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
