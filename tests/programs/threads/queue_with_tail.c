// A queue with a pointer to its last job, in memory that main allocates; jobs belong to who takes them out.
// EXPECT: safe malloc@enqueue:31.cost
// EXPECT: safe malloc@enqueue:31.next
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
typedef struct job {
  struct job *next;
  int cost;
} job_t;
typedef struct {
  job_t *first, *last;
  unsigned length;
  int closed;
  pthread_mutex_t mu;
  pthread_cond_t filled;
} queue_t;
static queue_t *queue_new(void) {
  queue_t *q = malloc(sizeof(*q));
  if (!q) exit(1);
  q->first = NULL;
  q->last = NULL;
  q->length = 0;
  q->closed = 0;
  pthread_mutex_init(&q->mu, NULL);
  pthread_cond_init(&q->filled, NULL);
  return q;
}
static queue_t *queue;
static void enqueue(int cost) {
  job_t *job = malloc(sizeof(job_t));
  if (!job) return;
  job->cost = cost;
  job->next = NULL;
  pthread_mutex_lock(&queue->mu);
  if (queue->last == NULL)
    queue->first = job;
  else
    queue->last->next = job;
  queue->last = job;
  queue->length++;
  pthread_cond_signal(&queue->filled);
  pthread_mutex_unlock(&queue->mu);
}
static job_t *dequeue(void) {
  job_t *job;
  pthread_mutex_lock(&queue->mu);
  while (queue->first == NULL) {
    if (queue->closed) {
      pthread_mutex_unlock(&queue->mu);
      return NULL;
    }
    pthread_cond_wait(&queue->filled, &queue->mu);
  }
  job = queue->first;
  queue->first = job->next;
  if (queue->first == NULL) queue->last = NULL;
  queue->length--;
  pthread_mutex_unlock(&queue->mu);
  return job;
}
static void *consumer(void *arg) {
  job_t *job;
  while ((job = dequeue()) != NULL) {
    job->cost *= 2;
    printf("%d\n", job->cost);
    free(job);
  }
  return arg;
}
int main(void) {
  pthread_t a, b;
  queue = queue_new();
  pthread_create(&a, NULL, consumer, NULL);
  pthread_create(&b, NULL, consumer, NULL);
  for (int i = 1; i <= 100; i++) enqueue(i);
  pthread_mutex_lock(&queue->mu);
  queue->closed = 1;
  pthread_cond_broadcast(&queue->filled);
  pthread_mutex_unlock(&queue->mu);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  free(queue);
  return 0;
}
