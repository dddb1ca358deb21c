// One message at a time goes through a mailbox; whoever empties it owns the message.
// EXPECT: safe malloc@sender:17.code
// EXPECT: safe malloc@sender:17.answer
#include <pthread.h>
#include <stdlib.h>
struct mail {
  int code;
  int answer;
};
static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct mail *waiting;
} box = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};
static void *sender(void *arg) {
  for (int i = 0; i < 20; i++) {
    struct mail *m = malloc(sizeof *m);
    if (m == NULL) break;
    m->code = i;
    m->answer = 0;
    pthread_mutex_lock(&box.lock);
    while (box.waiting != NULL) pthread_cond_wait(&box.changed, &box.lock);
    box.waiting = m;
    pthread_cond_broadcast(&box.changed);
    pthread_mutex_unlock(&box.lock);
  }
  return arg;
}
static void *receiver(void *arg) {
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&box.lock);
    while (box.waiting == NULL) pthread_cond_wait(&box.changed, &box.lock);
    struct mail *m = box.waiting;
    box.waiting = NULL;
    pthread_cond_broadcast(&box.changed);
    pthread_mutex_unlock(&box.lock);
    m->answer = m->code + 1;
    free(m);
  }
  return arg;
}
int main(void) {
  pthread_t s, t, r;
  pthread_create(&s, NULL, sender, NULL);
  pthread_create(&t, NULL, sender, NULL);
  pthread_create(&r, NULL, receiver, NULL);
  pthread_join(s, NULL);
  pthread_join(t, NULL);
  pthread_join(r, NULL);
  return 0;
}
