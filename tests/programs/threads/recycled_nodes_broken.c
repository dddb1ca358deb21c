// The buffer is used once more after it was given back.
// EXPECT: race malloc@buffer_get:26.used
#include <pthread.h>
#include <stdlib.h>
#include <stdint.h>
typedef struct buffer buffer;
struct buffer {
  uint32_t used, sum;
  buffer *link;
};
static buffer *spare;
static pthread_mutex_t spare_mutex = PTHREAD_MUTEX_INITIALIZER;
static buffer *buffer_get(void) {
  buffer *b;
  pthread_mutex_lock(&spare_mutex);
  b = spare;
  if (b) {
    spare = b->link;
    b->link = NULL;
  }
  pthread_mutex_unlock(&spare_mutex);
  if (b) {
    b->used = 0;
    return b;
  }
  b = malloc(sizeof *b);
  if (b) {
    b->used = 0;
    b->sum = 0;
    b->link = NULL;
  }
  return b;
}
static void buffer_put(buffer *b) {
  pthread_mutex_lock(&spare_mutex);
  b->link = spare;
  spare = b;
  pthread_mutex_unlock(&spare_mutex);
}
static void *connection(void *arg) {
  for (int round = 0; round < 2; round++) {
    buffer *b = buffer_get();
    if (!b) break;
    for (int i = 0; i < 2; i++) {
      b->used++;
      b->sum += (uint32_t)i;
    }
    buffer_put(b);
    b->used = 0;
  }
  return arg;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, connection, NULL);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  while (spare) {
    buffer *b = spare;
    spare = b->link;
    free(b);
  }
  return 0;
}
