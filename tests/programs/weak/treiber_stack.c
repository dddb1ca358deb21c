// A stack of nodes: push releases, pop acquires what it takes; nodes are not given back.
// EXPECT: safe malloc@push:18.value
// EXPECT: safe malloc@push:18.next
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { struct node *next; int value; };

static _Atomic(struct node *) top;

static void push(int value)
{
    struct node *n, *old;

    n = 0;
    old = atomic_load_explicit(&top, memory_order_relaxed);
    n = malloc(sizeof *n);
    if (!n)
        return;
    n->value = value;
    do
        n->next = old;
    while (!atomic_compare_exchange_weak_explicit(&top, &old, n, memory_order_release, memory_order_relaxed));
}

static int pop(void)
{
    struct node *n = atomic_load_explicit(&top, memory_order_acquire);

    while (n && !atomic_compare_exchange_weak_explicit(&top, &n, n->next, memory_order_acquire, memory_order_acquire))
        ;
    return n ? n->value : -1;
}

static void *worker(void *arg)
{
    push((int)(long)arg);
    return pop() < 0 ? arg : 0;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, (void *)1);
    pthread_create(&b, 0, worker, (void *)2);
    return 0;
}
