// A lock in each account of an array protects the account's balance.
//
// EXPECT: safe bank[].balance
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

extern int nondet(void);
static struct account bank[16];

static void deposit(struct account *a, long amount)
{
    pthread_mutex_lock(&a->lock);
    a->balance += amount;
    pthread_mutex_unlock(&a->lock);
}

static void *teller(void *arg)
{
    (void)arg;
    deposit(&bank[nondet() & 15], 100);
    return 0;
}

int main(void)
{
    pthread_t t;

    while (1)
        pthread_create(&t, 0, teller, 0);
}
