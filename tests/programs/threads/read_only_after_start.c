// Configuration is written before the threads are created and only read afterwards.
// EXPECT: safe config.width
// EXPECT: safe config.height
#include <pthread.h>
struct { int width, height; } config;
int area;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *one(void *arg) {
  int a = config.width * config.height;
  pthread_mutex_lock(&m);
  area += a;
  pthread_mutex_unlock(&m);
  return 0;
}
void *two(void *arg) {
  int w = config.width;
  pthread_mutex_lock(&m);
  area += w;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t a, b;
  config.width = 4;
  config.height = 3;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, two, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return area;
}
