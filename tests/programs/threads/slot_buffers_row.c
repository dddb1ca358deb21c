// The rows of one table of text: each thread has its lock, but clearing the table reaches the rows of others.
// EXPECT: race names[][]
#include <pthread.h>
#include <string.h>
static char names[4][16];
static pthread_mutex_t locks[4];
static void rename_row(int i, const char *to) {
  pthread_mutex_lock(&locks[i]);
  strncpy(names[i], to, sizeof names[i] - 1);
  pthread_mutex_unlock(&locks[i]);
}
static void *worker(void *arg) {
  rename_row(2, "worker");
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  pthread_mutex_lock(&locks[0]);
  memset(names, 0, sizeof names);
  pthread_mutex_unlock(&locks[0]);
  pthread_join(t, NULL);
  return 0;
}
