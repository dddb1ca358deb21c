// One cell that goes back and forth: the flag says whose it is.
// EXPECT: safe letter
#include <pthread.h>
#include <stdatomic.h>

static int letter;
static atomic_int full;

static void *writer(void *arg)
{
    for (int i = 0; i < 10; i++) {
        while (atomic_load_explicit(&full, memory_order_acquire))
            ;
        letter = i;
        atomic_store_explicit(&full, 1, memory_order_release);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    int sum = 0;

    pthread_create(&t, 0, writer, 0);
    for (int i = 0; i < 10; i++) {
        while (!atomic_load_explicit(&full, memory_order_acquire))
            ;
        sum += letter;
        atomic_store_explicit(&full, 0, memory_order_release);
    }
    return sum;
}
