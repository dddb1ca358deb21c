// The head is read outside the lock before the node is linked in.
// EXPECT: race head
#include <pthread.h>
#include <stdlib.h>
struct node {
  int key;
  struct node *next;
};
struct node *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void push(int key) {
  struct node *n = malloc(sizeof *n);
  if (n == NULL) return;
  n->key = key;
  n->next = head;
  pthread_mutex_lock(&m);
  head = n;
  pthread_mutex_unlock(&m);
}
void *one(void *arg) {
  push(1);
  return 0;
}
void *two(void *arg) {
  push(2);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  int sum = 0;
  for (struct node *p = head; p != NULL; p = p->next) sum += p->key;
  return sum;
}
