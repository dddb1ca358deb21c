// Items in a list of links, found by container_of: each is filled before it is linked in under the lock.
// EXPECT: safe items.next
// EXPECT: safe malloc@producer:24.value
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
struct link {
  struct link *next, *prev;
};
struct item {
  int value;
  struct link link;
};
struct link items = {&items, &items};
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
static void add(struct link *new, struct link *head) {
  new->next = head->next;
  new->prev = head;
  head->next->prev = new;
  head->next = new;
}
void *producer(void *arg) {
  struct item *i = malloc(sizeof *i);
  if (!i) return 0;
  i->value = 1;
  pthread_mutex_lock(&m);
  add(&i->link, &items);
  pthread_mutex_unlock(&m);
  return 0;
}
void *consumer(void *arg) {
  pthread_mutex_lock(&m);
  for (struct link *p = items.next; p != &items; p = p->next) container_of(p, struct item, link)->value++;
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
