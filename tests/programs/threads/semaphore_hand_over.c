// One thread fills a message and posts; the other waits for the post before it reads.
// EXPECT: safe message.length
// EXPECT: safe message.kind
#include <pthread.h>
#include <semaphore.h>
struct message { int kind; int length; } message;
sem_t full;
void *sender(void *arg) {
  message.length = 4;
  message.kind = 7;
  sem_post(&full);
  return 0;
}
void *receiver(void *arg) {
  sem_wait(&full);
  int got = message.kind + message.length;
  return (void *)(long)got;
}
int main(void) {
  pthread_t s, r;
  sem_init(&full, 0, 0);
  pthread_create(&r, 0, receiver, 0);
  pthread_create(&s, 0, sender, 0);
  pthread_join(s, 0);
  pthread_join(r, 0);
  return 0;
}
