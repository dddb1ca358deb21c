// A bank with a mutex for each of two accounts; a transfer takes both in a fixed order.
//
// EXPECT: safe savings
// EXPECT: race current
//
// deposit changes the current account while it holds the mutex of the savings account.
#include <pthread.h>

static long savings = 1000, current = 200;
static pthread_mutex_t savings_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t current_lock = PTHREAD_MUTEX_INITIALIZER;

static int transfer(long amount)
{
    int ok = 0;

    pthread_mutex_lock(&savings_lock);
    pthread_mutex_lock(&current_lock);
    if (savings >= amount) {
        savings -= amount;
        current += amount;
        ok = 1;
    }
    pthread_mutex_unlock(&current_lock);
    pthread_mutex_unlock(&savings_lock);
    return ok;
}

static void deposit(long amount)
{
    pthread_mutex_lock(&savings_lock);
    current += amount;
    pthread_mutex_unlock(&savings_lock);
}

static long total(void)
{
    long t;

    pthread_mutex_lock(&savings_lock);
    t = savings;
    pthread_mutex_unlock(&savings_lock);
    pthread_mutex_lock(&current_lock);
    t += current;
    pthread_mutex_unlock(&current_lock);
    return t;
}

static void *mover(void *arg)
{
    (void)arg;
    while (transfer(10)) {
    }
    return NULL;
}

static void *payer(void *arg)
{
    int i;

    (void)arg;
    for (i = 0; i < 5; i++)
        deposit(i);
    return NULL;
}

int main(void)
{
    pthread_t m, p;

    pthread_create(&m, NULL, mover, NULL);
    pthread_create(&p, NULL, payer, NULL);
    while (total() < 1200) {
    }
    pthread_join(m, NULL);
    pthread_join(p, NULL);
    return total() == 1210 ? 0 : 1;
}
