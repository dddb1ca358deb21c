// The skeleton of hazard pointers: a reader announces what it will use and looks again; the writer frees what nobody announced.
// EXPECT: unknown cell.value
#include <pthread.h>
#include <stdatomic.h>

static struct { int value; } cell;
static _Atomic(void *) shared, hazard;

static void *reader(void *arg)
{
    void *p;
    int seen = 0;

    do {
        p = atomic_load_explicit(&shared, memory_order_relaxed);
        atomic_store_explicit(&hazard, p, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
    } while (p != atomic_load_explicit(&shared, memory_order_acquire));
    if (p)
        seen = cell.value;
    atomic_store_explicit(&hazard, 0, memory_order_release);
    return seen ? arg : 0;
}

int main(void)
{
    pthread_t t;

    cell.value = 6;
    atomic_store_explicit(&shared, &cell, memory_order_release);
    pthread_create(&t, 0, reader, 0);
    atomic_store_explicit(&shared, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    while (atomic_load_explicit(&hazard, memory_order_acquire) == &cell)
        ;
    cell.value = 0;
    return 0;
}
