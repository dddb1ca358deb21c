// The last owner does not acquire: it frees what others may still be reading, and the count itself.
// EXPECT: race malloc@new_buffer:18.references
// EXPECT: race malloc@new_buffer:18.size
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct buffer { atomic_int references; int size; };

static inline struct buffer *get(struct buffer *b)
{
    atomic_fetch_add_explicit(&b->references, 1, memory_order_relaxed);
    return b;
}

static struct buffer *new_buffer(int size)
{
    struct buffer *b = malloc(sizeof *b);

    if (!b)
        exit(1);
    atomic_init(&b->references, 1);
    b->size = size;
    return b;
}

static inline void put(struct buffer *b)
{
    if (atomic_fetch_sub_explicit(&b->references, 1, memory_order_release) == 1) {
        free(b);
    }
}

static void *worker(void *arg)
{
    struct buffer *b = arg;
    int size = b->size;

    put(b);
    return size ? arg : 0;
}

int main(void)
{
    pthread_t s, t;
    struct buffer *b = new_buffer(100);

    pthread_create(&s, 0, worker, get(b));
    pthread_create(&t, 0, worker, get(b));
    put(b);
    return 0;
}
