// With acquire and release only, a reader may still see the old version after the writer saw no reader.
// EXPECT: race version.data
#include <pthread.h>
#include <stdatomic.h>

static struct { int data; } version;
static atomic_int published = 1, readers;

static void *reader(void *arg)
{
    int seen = 0;

    atomic_fetch_add_explicit(&readers, 1, memory_order_acquire);
    if (atomic_load_explicit(&published, memory_order_acquire))
        seen = version.data;
    atomic_fetch_sub_explicit(&readers, 1, memory_order_release);
    return seen ? arg : 0;
}

int main(void)
{
    pthread_t a, b;

    version.data = 4;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, reader, 0);
    atomic_store_explicit(&published, 0, memory_order_release);
    while (atomic_load_explicit(&readers, memory_order_acquire))
        ;
    version.data = 0;
    return 0;
}
