// Each of any number of threads is given memory that was allocated for it: the creator writes it before, the thread after.
// EXPECT: safe malloc@main:20.id
// EXPECT: safe malloc@main:20.data
#include <pthread.h>
#include <stdlib.h>
int nondet(void);
struct task {
  int id;
  int data;
};
void *worker(void *arg) {
  struct task *t = arg;
  t->data = t->id * 2;
  free(t);
  return 0;
}
int main(void) {
  for (int i = 0; nondet(); i++) {
    pthread_t id;
    struct task *t = malloc(sizeof *t);
    if (t == NULL) return 1;
    t->id = i;
    t->data = 0;
    pthread_create(&id, 0, worker, t);
  }
  return 0;
}
