// The lock of the bucket is given back before the entry is unlinked.
// EXPECT: race table[].first
#include <pthread.h>
#include <stdlib.h>
#define BUCKETS 16
struct entry {
  unsigned key;
  int value;
  struct entry *next;
};
struct bucket {
  pthread_mutex_t lock;
  struct entry *first;
};
static struct bucket table[BUCKETS];
static unsigned mix(unsigned k) { return k; }
static void store(unsigned key, int value) {
  struct bucket *b = &table[mix(key) % BUCKETS];
  struct entry *e;
  pthread_mutex_lock(&b->lock);
  for (e = b->first; e != NULL; e = e->next)
    if (e->key == key) break;
  if (e == NULL) {
    e = malloc(sizeof *e);
    if (e != NULL) {
      e->key = key;
      e->next = b->first;
      b->first = e;
    }
  }
  if (e != NULL) e->value = value;
  pthread_mutex_unlock(&b->lock);
}
static int discard(unsigned key) {
  struct bucket *b = &table[mix(key) % BUCKETS];
  struct entry *e, *before = NULL;
  int value;
  pthread_mutex_lock(&b->lock);
  for (e = b->first; e != NULL && e->key != key; e = e->next) before = e;
  pthread_mutex_unlock(&b->lock);
  if (e == NULL) return -1;
  if (before != NULL)
    before->next = e->next;
  else
    b->first = e->next;
  value = e->value;
  e->value = 0;
  free(e);
  return value;
}
static void *writer(void *arg) {
  unsigned id = (unsigned)(unsigned long)arg;
  for (unsigned i = 0; i < 2; i++) store(i, (int)i);
  return NULL;
}
static void *remover(void *arg) {
  for (unsigned i = 0; i < 2; i++) discard(i);
  return arg;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < BUCKETS; i++) {
    pthread_mutex_init(&table[i].lock, NULL);
    table[i].first = NULL;
  }
  pthread_create(&t[0], NULL, writer, (void *)1);
  pthread_create(&t[1], NULL, writer, (void *)2);
  pthread_create(&t[2], NULL, remover, NULL);
  pthread_create(&t[3], NULL, remover, NULL);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  return 0;
}
