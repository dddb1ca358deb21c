// The first look is relaxed: it may see that the table is done, and not the table.
// EXPECT: race table[]
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;
static int table[4];

static int lookup(int key)
{
    if (!atomic_load_explicit(&done, memory_order_relaxed)) {
        pthread_mutex_lock(&once);
        if (!atomic_load_explicit(&done, memory_order_relaxed)) {
            for (int i = 0; i < 4; i++)
                table[i] = i * i;
            atomic_store_explicit(&done, 1, memory_order_release);
        }
        pthread_mutex_unlock(&once);
    }
    return table[key & 3];
}

static void *user(void *arg)
{
    return lookup((int)(long)arg) ? arg : 0;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, user, (void *)1);
    pthread_create(&b, 0, user, (void *)2);
    return lookup(3);
}
