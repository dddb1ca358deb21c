// Readers share the lock, the writer has it alone.
// EXPECT: safe table[]
// EXPECT: safe version
#include <pthread.h>
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int table[4], version;
void *reader(void *arg) {
  pthread_rwlock_rdlock(&lock);
  int sum = table[0] + table[3] + version;
  pthread_rwlock_unlock(&lock);
  return (void *)(long)sum;
}
void *writer(void *arg) {
  pthread_rwlock_wrlock(&lock);
  table[3] = 8;
  version++;
  pthread_rwlock_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, reader, 0);
  pthread_create(&b, 0, reader, 0);
  pthread_create(&c, 0, writer, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return 0;
}
