// A table of slots, each with a lock and a buffer; workers look a slot up, then fill its buffer under its lock.
// EXPECT: safe slots[].fd
// EXPECT: safe slots[].busy
// EXPECT: safe slots[].text[]
// EXPECT: race bytes
#include <pthread.h>
#include <unistd.h>
#define SLOTS 8
struct slot {
  int fd;
  int busy;
  char text[100];
  pthread_mutex_t lock;
};
static struct slot slots[SLOTS];
static long bytes;
static struct slot *take(int fd) {
  for (int i = 0; i < SLOTS; i++) {
    pthread_mutex_lock(&slots[i].lock);
    if (!slots[i].busy) {
      slots[i].busy = 1;
      slots[i].fd = fd;
      pthread_mutex_unlock(&slots[i].lock);
      return &slots[i];
    }
    pthread_mutex_unlock(&slots[i].lock);
  }
  return NULL;
}
static void serve(struct slot *s) {
  pthread_mutex_lock(&s->lock);
  ssize_t n = read(s->fd, s->text, sizeof s->text);
  if (n > 0)
    bytes += n;
  s->busy = 0;
  pthread_mutex_unlock(&s->lock);
}
static void *worker(void *arg) {
  struct slot *s = take(0);
  if (s)
    serve(s);
  return arg;
}
int main(void) {
  pthread_t a, b;
  for (int i = 0; i < SLOTS; i++)
    pthread_mutex_init(&slots[i].lock, NULL);
  pthread_create(&a, NULL, worker, NULL);
  pthread_create(&b, NULL, worker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
