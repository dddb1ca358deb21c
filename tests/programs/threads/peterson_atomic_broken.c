// One thread sets the turn to itself instead of the other.
// EXPECT: race counter
#include <pthread.h>
#include <stdatomic.h>
atomic_int want0, want1, turn;
int counter;
void *zero(void *arg) {
  want0 = 1;
  turn = 1;
  while (want1 && turn == 1) {
  }
  counter++;
  want0 = 0;
  return 0;
}
void *one(void *arg) {
  want1 = 1;
  turn = 1;
  while (want0 && turn == 0) {
  }
  counter++;
  want1 = 0;
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, zero, 0);
  pthread_create(&b, 0, one, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return counter;
}
