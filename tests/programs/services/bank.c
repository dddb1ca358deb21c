// EXPECT: race bank[].balance
/* Accounts with a lock each; transfers take both in order, an auditor looks at all of them. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ACCOUNTS 6
#define TELLERS 3

struct account {
    pthread_mutex_t m;
    int64_t balance;
    uint32_t transactions;
};

static struct account bank[ACCOUNTS];
static volatile int unused_marker;
static pthread_mutex_t total_m = PTHREAD_MUTEX_INITIALIZER;
static uint64_t refused;
static bool closed;

static void account_lock2(unsigned a, unsigned b)
{
    unsigned lo = a < b ? a : b, hi = a < b ? b : a;
    pthread_mutex_lock(&bank[lo].m);
    pthread_mutex_lock(&bank[hi].m);
}

static bool transfer(unsigned from, unsigned to, int64_t amount)
{
    bool ok = false;
    if (from == to)
        return true;
    account_lock2(from, to);
    if (bank[from].balance >= amount) {
        bank[from].balance -= amount;
        bank[to].balance += amount;
        bank[from].transactions++;
        bank[to].transactions++;
        ok = true;
    }
    pthread_mutex_unlock(&bank[from].m);
    pthread_mutex_unlock(&bank[to].m);
    return ok;
}

static void *teller(void *seed)
{
    unsigned s = (unsigned)(uintptr_t)seed;
    for (int i = 0; i < 40; i++) {
        unsigned a = rand_r(&s) % ACCOUNTS, b = rand_r(&s) % ACCOUNTS;
        if (!transfer(a, b, rand_r(&s) % 100)) {
            pthread_mutex_lock(&total_m);
            refused++;
            pthread_mutex_unlock(&total_m);
        }
    }
    return 0;
}

static void *auditor(void *arg)
{
    int64_t *out = arg;
    bool last;
    do {
        int64_t sum = 0;
        for (unsigned i = 0; i < ACCOUNTS; i++) {
#ifdef FIXED
            pthread_mutex_lock(&bank[i].m);
#endif
            sum += bank[i].balance;
#ifdef FIXED
            pthread_mutex_unlock(&bank[i].m);
#endif
        }
        *out = sum;
        pthread_mutex_lock(&total_m);
        last = closed;
        pthread_mutex_unlock(&total_m);
    } while (!last);
    return 0;
}

int main(void)
{
    pthread_t tellers[TELLERS], audit;
    int64_t seen = 0;
    for (unsigned i = 0; i < ACCOUNTS; i++) {
        pthread_mutex_init(&bank[i].m, 0);
        bank[i].balance = 1000;
    }
    pthread_create(&audit, 0, auditor, &seen);
    for (unsigned i = 0; i < TELLERS; i++)
        pthread_create(&tellers[i], 0, teller, (void *)(uintptr_t)(i + 1));
    for (unsigned i = 0; i < TELLERS; i++)
        pthread_join(tellers[i], 0);
    pthread_mutex_lock(&total_m);
    closed = true;
    pthread_mutex_unlock(&total_m);
    pthread_join(audit, 0);
    printf("%lld, %llu refused\n", (long long)seen, (unsigned long long)refused);
    return 0;
}
