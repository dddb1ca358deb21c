// Two lists with a lock each: what the first stage takes from one it hands on through the other.
// EXPECT: safe malloc@main:62.raw
// EXPECT: safe malloc@main:62.cooked
// EXPECT: safe malloc@main:62.next
#include <pthread.h>
#include <stdlib.h>
struct message {
  int raw;
  int cooked;
  struct message *next;
};
struct list {
  pthread_mutex_t lock;
  struct message *head;
};
static struct list inbox = {PTHREAD_MUTEX_INITIALIZER, NULL};
static struct list outbox = {PTHREAD_MUTEX_INITIALIZER, NULL};
static volatile int quit;
static void put(struct list *l, struct message *m) {
  pthread_mutex_lock(&l->lock);
  m->next = l->head;
  l->head = m;
  pthread_mutex_unlock(&l->lock);
}
static struct message *take(struct list *l) {
  struct message *m;
  pthread_mutex_lock(&l->lock);
  m = l->head;
  if (m != NULL) {
    l->head = m->next;
    m->next = NULL;
  }
  pthread_mutex_unlock(&l->lock);
  return m;
}
static void *cook(void *arg) {
  struct message *m;
  (void)arg;
  while ((m = take(&inbox)) != NULL) {
    m->cooked = m->raw * 2;
    put(&outbox, m);
  }
  return NULL;
}
static void *serve(void *arg) {
  struct message *m;
  long sum = 0;
  (void)arg;
  while ((m = take(&outbox)) != NULL) {
    sum += m->cooked;
    m->raw = 0;
    free(m);
  }
  return (void *)sum;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, NULL, cook, NULL);
  pthread_create(&b, NULL, cook, NULL);
  pthread_create(&c, NULL, serve, NULL);
  for (int i = 0; i < 20; i++) {
    struct message *m = malloc(sizeof *m);
    if (m == NULL) break;
    m->raw = i;
    m->cooked = 0;
    put(&inbox, m);
  }
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  return 0;
}
