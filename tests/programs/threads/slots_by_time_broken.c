// Two tickers leave the list in its slot while they run its timers.
// EXPECT: race malloc@arm:23.runs
#include <pthread.h>
#include <stdlib.h>
#define SLOTS 32u
struct timer {
  unsigned due;
  int runs;
  struct timer *next;
};
static struct {
  pthread_mutex_t mutex;
  struct timer *slot[SLOTS];
  unsigned now;
} wheel = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static void insert(struct timer *t, unsigned due) {
  unsigned s = due % SLOTS;
  t->due = due;
  t->next = wheel.slot[s];
  wheel.slot[s] = t;
}
static void arm(unsigned due) {
  struct timer *t = malloc(sizeof *t);
  if (!t) return;
  t->runs = 0;
  pthread_mutex_lock(&wheel.mutex);
  insert(t, due);
  pthread_mutex_unlock(&wheel.mutex);
}
static void *ticker(void *arg) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&wheel.mutex);
    unsigned s = 0;
    struct timer *list = wheel.slot[s];

    pthread_mutex_unlock(&wheel.mutex);
    while (list) {
      struct timer *t = list;
      list = t->next;
      if (++t->runs < 3) {
        pthread_mutex_lock(&wheel.mutex);
        insert(t, t->due + 5);
        pthread_mutex_unlock(&wheel.mutex);
      } else {
        free(t);
      }
    }
  }
  return arg;
}
static void *client(void *arg) {
  for (unsigned i = 0; i < 2; i++) arm(i);
  return arg;
}
int main(void) {
  pthread_t a, b, c, d;
  pthread_create(&d, NULL, ticker, NULL);
  pthread_create(&a, NULL, ticker, NULL);
  pthread_create(&b, NULL, client, NULL);
  pthread_create(&c, NULL, client, NULL);
  pthread_join(b, NULL);
  pthread_join(c, NULL);
  pthread_join(a, NULL);
  pthread_join(d, NULL);
  return 0;
}
