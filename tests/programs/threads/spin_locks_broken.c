// The second spin lock is another one.
// EXPECT: race packets
#include <pthread.h>
pthread_spinlock_t a, b;
int packets;
void *receive(void *arg) {
  pthread_spin_lock(&a);
  packets++;
  pthread_spin_unlock(&a);
  return 0;
}
void *transmit(void *arg) {
  pthread_spin_lock(&b);
  packets += 2;
  pthread_spin_unlock(&b);
  return 0;
}
int main(void) {
  pthread_t r, t;
  pthread_spin_init(&a, 0);
  pthread_spin_init(&b, 0);
  pthread_create(&r, 0, receive, 0);
  pthread_create(&t, 0, transmit, 0);
  pthread_join(r, 0);
  pthread_join(t, 0);
  return packets;
}
