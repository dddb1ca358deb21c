// The environment is one object for all threads: to look something up there while another thread changes it is a race.
// EXPECT: race static@environ
// EXPECT: unknown text[]
#include <pthread.h>
#include <stdlib.h>

char text[] = "NAME=value";

void *worker(void *arg)
{
    getenv("HOME");
    return arg;
}

int main(void)
{
    pthread_t t;

    putenv(text);
    pthread_create(&t, 0, worker, 0);
    text[0] = 'n';
    setenv("HOME", "/", 1);
    return 0;
}
