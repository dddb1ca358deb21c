// Two slots are cleared under the lock of the first: the second one's text is written without its own.
// EXPECT: possible race slots[].text[]
#include <pthread.h>
#include <string.h>
struct slot {
  int used;
  char text[12];
  pthread_mutex_t lock;
};
static struct slot slots[4];
static void put(struct slot *s, char c) {
  pthread_mutex_lock(&s->lock);
  memset(s->text, c, sizeof s->text);
  s->used = 1;
  pthread_mutex_unlock(&s->lock);
}
static void *worker(void *arg) {
  put(&slots[1], 'w');
  return arg;
}
int main(void) {
  pthread_t t;
  struct slot *s = slots;
  pthread_create(&t, NULL, worker, NULL);
  pthread_mutex_lock(&s->lock);
  memset(s, 0, sizeof *s + 16);
  pthread_mutex_unlock(&s->lock);
  pthread_join(t, NULL);
  return 0;
}
