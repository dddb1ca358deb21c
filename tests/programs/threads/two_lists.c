// Two lists that the same functions build, each with its own lock; any number of threads.
// EXPECT: safe A
// EXPECT: safe B
// EXPECT: safe malloc@new_node:15.datum
// EXPECT: safe malloc@new_node:15#2.datum
#include <pthread.h>
#include <stdlib.h>
int nondet(void);
struct node {
  int datum;
  struct node *next;
} *A, *B;
pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *new_node(int x) {
  struct node *p = malloc(sizeof *p);
  if (p == NULL) abort();
  p->datum = x;
  p->next = NULL;
  return p;
}
static void add(struct node **list, pthread_mutex_t *lock, int x) {
  pthread_mutex_lock(lock);
  struct node *p = new_node(x);
  p->next = *list;
  *list = p;
  pthread_mutex_unlock(lock);
}
void *worker(void *arg) {
  add(&A, &a_lock, 1);
  add(&B, &b_lock, 2);
  return 0;
}
int main(void) {
  pthread_t t;
  struct node *p;
  while (nondet()) pthread_create(&t, 0, worker, 0);
  pthread_mutex_lock(&a_lock);
  for (p = A; p != NULL; p = p->next) p->datum++;
  pthread_mutex_unlock(&a_lock);
  pthread_mutex_lock(&b_lock);
  for (p = B; p != NULL; p = p->next) p->datum++;
  pthread_mutex_unlock(&b_lock);
  return 0;
}
