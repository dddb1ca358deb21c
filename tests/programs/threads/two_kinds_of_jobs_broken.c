// One request to stop is put into the queue twice, and freed by whoever finds it.
// EXPECT: race calloc@shut_down:43.next
#include <pthread.h>
#include <stdlib.h>
enum kind { STOP, WORK };
struct job {
  enum kind kind;
  int number;
  struct job *next;
};
static struct job *first, *last;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static void put(struct job *j) {
  j->next = NULL;
  pthread_mutex_lock(&guard);
  if (first == NULL)
    first = j;
  else
    last->next = j;
  last = j;
  pthread_cond_signal(&ready);
  pthread_mutex_unlock(&guard);
}
static struct job *get(void) {
  pthread_mutex_lock(&guard);
  while (first == NULL) pthread_cond_wait(&ready, &guard);
  struct job *j = first;
  first = j->next;
  pthread_mutex_unlock(&guard);
  return j;
}
static void produce(void) {
  for (int i = 0; i < 1; i++) {
    struct job *j = malloc(sizeof *j);
    if (!j) abort();
    j->kind = WORK;
    j->number = i;
    put(j);
  }
}
static void shut_down(int workers) {
  struct job *j = calloc(1, sizeof *j);
  if (!j) abort();
  while (workers-- > 0) put(j);
}
static void *worker(void *unused) {
  for (;;) {
    struct job *j = get();
    if (j->kind == STOP) {
      free(j);
      return unused;
    }
    j->number *= 2;
    free(j);
  }
}
int main(void) {
  pthread_t w[2];
  for (int i = 0; i < 2; i++) pthread_create(&w[i], NULL, worker, NULL);
  produce();
  shut_down(2);
  for (int i = 0; i < 2; i++) pthread_join(w[i], NULL);
  return 0;
}
