// Open files have different numbers, so that each thread has a slot of its own; whether a file can be opened the world decides.
// EXPECT: unknown slots[]
// EXPECT: race opened
#include <pthread.h>
#include <sys/socket.h>

int listening, opened, slots[1024];

static void *serve(void *arg)
{
    int client = accept(listening, 0, 0);

    if (client == -1)
        return arg;
    opened++;
    slots[client]++;
    return arg;
}

int main(void)
{
    pthread_t a, b;

    listening = socket(AF_INET, SOCK_STREAM, 0);
    if (listening < 0 || listen(listening, 5) != 0)
        return 1;
    pthread_create(&a, 0, serve, 0);
    pthread_create(&b, 0, serve, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
