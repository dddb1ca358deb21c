// Functions of the library that keep something between calls share it among all threads.
// EXPECT: race static@localtime
// EXPECT: race static@asctime
// EXPECT: race static@drand48
// EXPECT: unknown static@strerror
// EXPECT: unknown broken.tm_sec
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct tm broken;

void *worker(void *arg)
{
    time_t now = 0;

    localtime(&now);
    ctime(&now);
    lrand48();
    strerror(1);
    mktime(&broken);
    return arg;
}

int main(void)
{
    pthread_t t;
    time_t now = 1;

    broken.tm_sec = 5;

    pthread_create(&t, 0, worker, 0);
    gmtime(&now);
    asctime(&broken);
    srand48(1);
    strerror(2);
    return 0;
}
