// One of the two ways to change a balance takes no lock.
//
// EXPECT: race bank[].balance
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

extern int nondet(void);
static struct account bank[2];

static void *teller(void *arg)
{
    struct account *a = &bank[nondet() & 1];

    (void)arg;
    pthread_mutex_lock(&a->lock);
    a->balance += 100;
    pthread_mutex_unlock(&a->lock);
    return 0;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, 0, teller, 0);
    bank[1].balance = 0;
    return 0;
}
