// The fence before the object is taken apart is missing.
// EXPECT: race object.value
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object { atomic_int references; int value; };

static struct object object = { 2, 0 };

static void drop(struct object *o)
{
    if (atomic_fetch_sub_explicit(&o->references, 1, memory_order_release) == 1) {
        o->value = -1;
    }
}

static void *reader(void *arg)
{
    int seen = object.value;

    drop(&object);
    return seen ? arg : 0;
}

int main(void)
{
    pthread_t a, b;

    object.value = 7;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, reader, 0);
    return 0;
}
