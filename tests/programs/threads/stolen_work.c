// Each worker has a list of tasks with a lock; one whose own list is empty steals from another's.
// EXPECT: safe malloc@seed:44.weight
// EXPECT: safe malloc@seed:44.next
#include <pthread.h>
#include <stdlib.h>
#define WORKERS 3
struct task {
  int weight;
  struct task *next;
};
struct deque {
  pthread_mutex_t lock;
  struct task *top;
};
static struct deque deques[WORKERS];
static void push(unsigned who, struct task *t) {
  struct deque *d = &deques[who % WORKERS];
  pthread_mutex_lock(&d->lock);
  t->next = d->top;
  d->top = t;
  pthread_mutex_unlock(&d->lock);
}
static struct task *pop(unsigned who) {
  struct deque *d = &deques[who % WORKERS];
  pthread_mutex_lock(&d->lock);
  struct task *t = d->top;
  if (t) d->top = t->next;
  pthread_mutex_unlock(&d->lock);
  return t;
}
static void *worker(void *arg) {
  unsigned me = (unsigned)(unsigned long)arg;
  for (;;) {
    struct task *t = pop(me);
    for (unsigned k = 1; !t && k < WORKERS; k++) t = pop(me + k);
    if (!t) return NULL;
    if (--t->weight > 0)
      push(me, t);
    else
      free(t);
  }
}
static void seed(unsigned n) {
  struct task *t = malloc(sizeof *t);
  if (!t) return;
  t->weight = (int)n;
  push(n, t);
}
int main(void) {
  pthread_t threads[WORKERS];
  for (int i = 0; i < WORKERS; i++) pthread_mutex_init(&deques[i].lock, NULL);
  for (unsigned n = 0; n < 30; n++) seed(n);
  for (unsigned long i = 0; i < WORKERS; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
  for (int i = 0; i < WORKERS; i++) pthread_join(threads[i], NULL);
  return 0;
}
