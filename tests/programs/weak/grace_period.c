// Readers count themselves in and out; the writer unpublishes, waits until nobody is inside, and takes the old version apart.
// EXPECT: safe version.data
#include <pthread.h>
#include <stdatomic.h>

static struct { int data; } version;
static atomic_int published = 1, readers;
static atomic_long visits;

static void *reader(void *arg)
{
    int seen = 0;

    atomic_fetch_add_explicit(&visits, 1, memory_order_relaxed);
    atomic_fetch_add(&readers, 1);
    if (atomic_load(&published))
        seen = version.data;
    atomic_fetch_sub(&readers, 1);
    return seen ? arg : 0;
}

int main(void)
{
    pthread_t a, b;

    version.data = 4;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, reader, 0);
    atomic_store(&published, 0);
    while (atomic_load(&readers))
        ;
    version.data = 0;
    return 0;
}
