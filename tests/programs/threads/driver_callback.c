// Callbacks find the driver around their device and take its lock; main looks when both have ended.
// EXPECT: safe main::data.count
// EXPECT: safe main::data.state
#include <pthread.h>
#include <stddef.h>
extern int nondet(void);
struct device {
  int id;
};
struct driver {
  pthread_mutex_t lock;
  struct device dev;
  int state;
  int count;
};
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
pthread_t first, second;
void *callback(void *arg) {
  struct device *dev = arg;
  struct driver *d = container_of(dev, struct driver, dev);
  pthread_mutex_lock(&d->lock);
  d->state = 1;
  d->count = d->count + 1;
  pthread_mutex_unlock(&d->lock);
  return 0;
}
static int probe(struct driver *d) {
  pthread_mutex_init(&d->lock, 0);
  d->state = 0;
  d->count = 0;
  if (nondet()) return -1;
  pthread_create(&first, 0, callback, &d->dev);
  pthread_create(&second, 0, callback, &d->dev);
  return 0;
}
int main(void) {
  struct driver data;
  if (probe(&data) == 0) {
    pthread_join(first, 0);
    pthread_join(second, 0);
    return data.count;
  }
  return 0;
}
