// A function of the program's own that has the name of a jump is called and returns.
// EXPECT: race x
#include <pthread.h>

int x;

void longjmp(int *where, int value)
{
    *where = value;
}

void *worker(void *argument)
{
    int here = 0;
    longjmp(&here, 3);
    if (here == 3)
        x++;
    return argument;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    return 0;
}
