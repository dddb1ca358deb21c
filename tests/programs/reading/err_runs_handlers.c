// `errx` ends the program as `exit` does: exit handlers run, beside the threads that are left.
// EXPECT: race x
// EXPECT: safe y
#include <pthread.h>
#include <stdlib.h>

_Noreturn void errx(int status, const char *format, ...);

int x, y;

void at_exit(void)
{
    x = 1;
}

void *worker(void *argument)
{
    x = 2;
    y = 2;
    return argument;
}

int main(void)
{
    pthread_t t;
    atexit(at_exit);
    pthread_create(&t, 0, worker, 0);
    errx(1, "no %d", 3);
    y = 1;
}
