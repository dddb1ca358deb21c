// A configuration is filled in and then published by a releasing store of its address; readers follow what they acquire.
// EXPECT: safe config.limit
// EXPECT: safe config.name
#include <pthread.h>
#include <stdatomic.h>

struct config { int limit; const char *name; };

static struct config config;
static _Atomic(struct config *) current;

static void *reader(void *arg)
{
    struct config *c = atomic_load_explicit(&current, memory_order_acquire);

    return c && c->limit > 3 && c->name ? arg : 0;
}

int main(void)
{
    pthread_t t;

    for (int i = 0; i < 20; i++)
        pthread_create(&t, 0, reader, 0);
    config.limit = 5;
    config.name = "five";
    atomic_store_explicit(&current, &config, memory_order_release);
    return 0;
}
