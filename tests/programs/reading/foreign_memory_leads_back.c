// What is kept for the program by the C library and the system comes back from there: a string of the environment, an argument
// that `getopt` has found, the event of a descriptor, the address that memory was mapped to, an address in a string of `argv`.
// EXPECT: unknown pair[]
// EXPECT: unknown waited
// EXPECT: unknown page[]
// EXPECT: unknown put
// EXPECT: unknown main::local
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

static char pair[] = "KEY=value", option[8] = "-xabc", program[] = "p", page[8192] __attribute__((aligned(4096)));
static char *arguments[] = {program, option, 0}, **from_system;
static int waited, put, poll;

static void *work(void *arg)
{
    struct epoll_event event;

    pair[5] = 'z';
    option[2] = 'z';
    page[0] = 1;
    put = 1;
    if (epoll_wait(poll, &event, 1, -1) == 1)
        *(int *)event.data.ptr = 1;
    *(int *)from_system[1] = 2;
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int local = 0;
    struct epoll_event event;
    char *value, *mapped;

    putenv(pair);
    value = getenv("KEY");
    getopt(2, arguments, "x:");
    poll = epoll_create1(0);
    event.events = EPOLLIN;
    event.data.ptr = &waited;
    epoll_ctl(poll, EPOLL_CTL_ADD, 0, &event);
    mapped = mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
    argv[0] = (char *)&put;
    argv[1] = (char *)&local;
    from_system = argv;
    pthread_create(&t, 0, work, 0);
    if (value)
        value[1] = 'v';
    if (optarg)
        optarg[0] = 'o';
    waited = 2;
    mapped[0] = 2;
    *(int *)argv[0] = 2;
    local = 1;
    pthread_join(t, 0);
    return local;
}
