// Compare-and-exchange of a struct and of a floating value: one atomic access, whatever the bytes are.
// EXPECT: safe kept
// EXPECT: safe pair.a
// EXPECT: safe level
#include <stdatomic.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int kept, lost;

struct pair { int a, b; };
_Atomic struct pair pair;
_Atomic double level;

static int swap(void);

void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    kept++;
    pthread_mutex_unlock(&lock);
    lost++;
    swap();
    return argument;
}

static int swap(void)
{
    struct pair old = {0, 0}, new = {1, 2};
    double seen = 0;
    if (__atomic_compare_exchange(&pair, &old, &new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return atomic_compare_exchange_strong(&level, &seen, 1.5);
    return old.a;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    swap();
    worker(0);
    pthread_join(t, 0);
    return 0;
}
