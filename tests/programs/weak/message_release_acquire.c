// A message behind a flag: what the sender wrote before its releasing store is the receiver's once an acquiring load sees it.
// EXPECT: safe message.length
// EXPECT: safe message.text[]
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static struct { char text[32]; unsigned length; } message;
static atomic_int ready;

static void *sender(void *arg)
{
    strcpy(message.text, "hello");
    message.length = 5;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, sender, 0);
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        ;
    message.text[0] = 'H';
    return (int)message.length;
}
