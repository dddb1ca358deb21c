// Each thread gets a structure of its own by address, with a pointer to its part of an array.
// EXPECT: safe jobs[].result
// EXPECT: safe data[]
#include <pthread.h>
struct job {
  int *from;
  int count;
  int result;
};
int data[8] = {3, 1, 4, 1, 5, 9, 2, 6};
struct job jobs[2];

void *sum(void *arg) {
  struct job *job = arg;
  job->result = 0;
  for (int i = 0; i < job->count; i++) job->result += job->from[i];
  return 0;
}

int main(void) {
  pthread_t first, second;
  jobs[0].from = data;
  jobs[0].count = 4;
  jobs[1].from = data + 4;
  jobs[1].count = 4;
  pthread_create(&first, 0, sum, &jobs[0]);
  pthread_create(&second, 0, sum, &jobs[1]);
  pthread_join(first, 0);
  pthread_join(second, 0);
  return jobs[0].result + jobs[1].result;
}
