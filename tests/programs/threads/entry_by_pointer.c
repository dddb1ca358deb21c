// Every entry of a table has a lock of its own; a function is given the entry, takes its lock, and counts.
//
// EXPECT: safe table[].users
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

struct entry {
    int users;
    pthread_mutex_t lock;
} table[10];

static void use(struct entry *e)
{
    pthread_mutex_lock(&e->lock);
    e->users++;
    pthread_mutex_unlock(&e->lock);
}

void *worker(void *arg)
{
    for (int i = 0; i < 10; i++)
        use(&table[i]);
    use(&table[3]);
    return NULL;
}

int main(void)
{
    pthread_t id;
    for (int i = 0; i < 10; i++)
        pthread_mutex_init(&table[i].lock, NULL);
    while (__VERIFIER_nondet_int())
        pthread_create(&id, NULL, worker, NULL);
    return 0;
}
