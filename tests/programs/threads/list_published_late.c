// A node is filled before it is linked in; whoever finds it in the list holds the lock.
// EXPECT: safe malloc@producer:14.value
// EXPECT: safe head
#include <pthread.h>
#include <stdlib.h>
struct node {
  int value;
  struct node *next;
};
struct node *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *producer(void *arg) {
  for (int i = 0; i < 20; i++) {
    struct node *n = malloc(sizeof *n);
    n->value = i;
    pthread_mutex_lock(&m);
    n->next = head;
    head = n;
    pthread_mutex_unlock(&m);
  }
  return 0;
}
void *consumer(void *arg) {
  int sum = 0;
  pthread_mutex_lock(&m);
  struct node *p = head;
  while (p) {
    sum += p->value++;
    p = p->next;
  }
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, producer, 0);
  pthread_create(&b, 0, consumer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
