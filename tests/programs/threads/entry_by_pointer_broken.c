// Every entry of a table has a lock of its own; the function that is given an entry takes the lock of the first one that it met.
//
// EXPECT: race table[].users
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

struct entry {
    int users;
    pthread_mutex_t lock;
} table[10];

static void use(struct entry *e, struct entry *first)
{
    pthread_mutex_lock(&first->lock);
    e->users++;
    pthread_mutex_unlock(&first->lock);
}

void *worker(void *arg)
{
    for (int i = 0; i < 10; i++)
        use(&table[i], &table[0]);
    use(&table[3], &table[3]);
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
