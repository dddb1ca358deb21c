// Jobs are pushed under a lock; whoever pops one has it for himself and frees it.
// EXPECT: safe malloc@submit:18.input
// EXPECT: safe malloc@submit:18.next
#include <pthread.h>
#include <stdlib.h>
struct job {
  int input;
  long output;
  struct job *next;
};
static struct job *stack;
static int stopping;
static long total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int submit(int n) {
  struct job *j = malloc(sizeof *j);
  if (j == NULL) return -1;
  j->input = n;
  j->output = 0;
  pthread_mutex_lock(&lock);
  j->next = stack;
  stack = j;
  pthread_cond_signal(&more);
  pthread_mutex_unlock(&lock);
  return 0;
}
static void *worker(void *unused) {
  for (;;) {
    pthread_mutex_lock(&lock);
    while (stack == NULL && !stopping) pthread_cond_wait(&more, &lock);
    struct job *j = stack;
    if (j != NULL) stack = j->next;
    pthread_mutex_unlock(&lock);
    if (j == NULL) return NULL;
    for (int i = 0; i < j->input; i++) j->output += i;
    pthread_mutex_lock(&total_lock);
    total += j->output;
    pthread_mutex_unlock(&total_lock);
    free(j);
  }
}
int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < 500; i++) submit(i);
  pthread_mutex_lock(&lock);
  stopping = 1;
  pthread_cond_broadcast(&more);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  return total > 0;
}
