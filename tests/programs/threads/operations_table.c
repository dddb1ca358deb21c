// Whichever function the table gives takes the lock.
// EXPECT: safe level
#include <pthread.h>
extern int nondet(void);
int level;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct ops {
  int (*change)(int);
};
static int up(int by) {
  pthread_mutex_lock(&m);
  level += by;
  int now = level;
  pthread_mutex_unlock(&m);
  return now;
}
static int down(int by) {
  pthread_mutex_lock(&m);
  level -= by;
  int now = level;
  pthread_mutex_unlock(&m);
  return now;
}
static const struct ops table[2] = {{up}, {down}};
void *user(void *arg) {
  table[nondet() & 1].change(3);
  return 0;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, user, 0);
  user(0);
  pthread_join(t, 0);
  return 0;
}
