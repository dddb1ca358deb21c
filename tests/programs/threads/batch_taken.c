// Log lines are collected in a list; the flusher takes the whole list under the lock and writes it out without.
// EXPECT: safe calloc@log_line:20.level
// EXPECT: safe calloc@log_line:20.stamp
// EXPECT: safe calloc@log_line:20.next
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
struct line {
  int level;
  unsigned long stamp;
  struct line *next;
};
static struct {
  pthread_mutex_t lock;
  struct line *pending;
  bool done;
} log_state = {.lock = PTHREAD_MUTEX_INITIALIZER};
static void log_line(int level, unsigned long stamp) {
  struct line *l = calloc(1, sizeof *l);
  if (!l) return;
  l->level = level;
  l->stamp = stamp;
  pthread_mutex_lock(&log_state.lock);
  l->next = log_state.pending;
  log_state.pending = l;
  pthread_mutex_unlock(&log_state.lock);
}
static void *flusher(void *arg) {
  bool done = false;
  while (!done) {
    pthread_mutex_lock(&log_state.lock);
    struct line *batch = log_state.pending;
    log_state.pending = NULL;
    done = log_state.done;
    pthread_mutex_unlock(&log_state.lock);
    while (batch) {
      struct line *l = batch;
      batch = batch->next;
      fprintf(stderr, "%d %lu\n", l->level, l->stamp);
      free(l);
    }
  }
  return arg;
}
static void *service(void *arg) {
  for (unsigned long i = 0; i < 1000; i++) log_line((int)(i % 4), i);
  return arg;
}
int main(void) {
  pthread_t f, s1, s2;
  pthread_create(&f, NULL, flusher, NULL);
  pthread_create(&s1, NULL, service, NULL);
  pthread_create(&s2, NULL, service, NULL);
  pthread_join(s1, NULL);
  pthread_join(s2, NULL);
  pthread_mutex_lock(&log_state.lock);
  log_state.done = true;
  pthread_mutex_unlock(&log_state.lock);
  pthread_join(f, NULL);
  return 0;
}
