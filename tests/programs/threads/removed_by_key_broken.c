// A session that has been closed by its id stays in the list if it is not the first.
// EXPECT: race malloc@session_open:13.id
#include <pthread.h>
#include <stdlib.h>
struct session {
  int id;
  int hits;
  struct session *next;
};
static pthread_mutex_t sessions_lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *sessions;
static void session_open(int id) {
  struct session *s = malloc(sizeof *s);
  if (!s) abort();
  s->id = id;
  s->hits = 0;
  pthread_mutex_lock(&sessions_lock);
  s->next = sessions;
  sessions = s;
  pthread_mutex_unlock(&sessions_lock);
}
static void session_hit(int id) {
  pthread_mutex_lock(&sessions_lock);
  for (struct session *s = sessions; s; s = s->next)
    if (s->id == id) s->hits++;
  pthread_mutex_unlock(&sessions_lock);
}
static int session_close(int id) {
  struct session *prev = NULL, *s;
  pthread_mutex_lock(&sessions_lock);
  for (s = sessions; s && s->id != id; s = s->next) prev = s;
  if (s) {
    if (prev)
      prev->hits++;
    else
      sessions = s->next;
  }
  pthread_mutex_unlock(&sessions_lock);
  if (!s) return -1;
  int hits = s->hits;
  s->id = -1;
  free(s);
  return hits;
}
static void *client(void *arg) {
  int id = (int)(long)arg;
  session_open(id);
  session_hit(id);
  session_close(id);
  return NULL;
}
int main(void) {
  pthread_t t[3];
  for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, client, (void *)i);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  return 0;
}
