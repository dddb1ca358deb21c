// Each thread gets a report of its own to fill in, and hands it over through a list that main empties.
// EXPECT: safe malloc@main:33.lines
// EXPECT: safe malloc@main:33.errors
// EXPECT: safe malloc@main:33.next
#include <pthread.h>
#include <stdlib.h>
struct report {
  long lines, errors;
  struct report *next;
};
static struct report *finished;
static pthread_mutex_t finished_lock = PTHREAD_MUTEX_INITIALIZER;
static int next_line(void) { return rand() % 3 - 1; }
static void *scan(void *arg) {
  struct report *r = arg;
  int c;
  while ((c = next_line()) != 0) {
    r->lines++;
    if (c < 0) r->errors++;
  }
  pthread_mutex_lock(&finished_lock);
  r->next = finished;
  finished = r;
  pthread_mutex_unlock(&finished_lock);
  return NULL;
}
int main(void) {
  pthread_t t;
  long total = 0;
  for (int i = 0; i < 50; i++) {
    struct report *r;
    struct report *done;
    r = malloc(sizeof *r);
    if (!r) return 1;
    r->lines = 0;
    r->errors = 0;
    r->next = NULL;
    if (pthread_create(&t, NULL, scan, r) != 0) {
      free(r);
      return 1;
    }
    pthread_detach(t);
    pthread_mutex_lock(&finished_lock);
    done = finished;
    finished = NULL;
    pthread_mutex_unlock(&finished_lock);
    while (done) {
      struct report *d = done;
      done = d->next;
      total += d->lines + d->errors;
      free(d);
    }
  }
  return total > 100;
}
