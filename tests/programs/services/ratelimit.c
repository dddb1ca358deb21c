// EXPECT: race denied
/* A token bucket for each client, looked up by address; a refill thread adds tokens. */
#include <threads.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct limiter {
    char address[24];
    int tokens;
    int burst;
};

static struct limiter limiters[12];
static int used;
static mtx_t mtx;
static bool over;
static int denied;
static int allowed;

static struct limiter *limiter_for(const char *address)
{
    int i;
    for (i = 0; i < used; i++)
        if (strcmp(limiters[i].address, address) == 0)
            return &limiters[i];
    if (used == 12)
        return NULL;
    strncpy(limiters[used].address, address, 23);
    limiters[used].tokens = limiters[used].burst = 5;
    return &limiters[used++];
}

static bool allow(const char *address)
{
    bool ok = false;
    mtx_lock(&mtx);
    struct limiter *l = limiter_for(address);
    if (l && l->tokens > 0) {
        l->tokens--;
        ok = true;
    }
    mtx_unlock(&mtx);
    return ok;
}

static int refill(void *unused)
{
    (void)unused;
    for (;;) {
        mtx_lock(&mtx);
        if (over) {
            mtx_unlock(&mtx);
            return 0;
        }
        for (int i = 0; i < used; i++)
            if (limiters[i].tokens < limiters[i].burst)
                limiters[i].tokens++;
        mtx_unlock(&mtx);
        thrd_yield();
    }
}

static int requests(void *arg)
{
    const char *who = arg;
    for (int i = 0; i < 30; i++) {
        bool ok = allow(who);
#ifdef FIXED
        mtx_lock(&mtx);
#endif
        if (ok)
            allowed++;
        else
            denied++;
#ifdef FIXED
        mtx_unlock(&mtx);
#endif
    }
    return 0;
}

int main(void)
{
    thrd_t a, b, r;
    mtx_init(&mtx, mtx_plain);
    thrd_create(&r, refill, NULL);
    thrd_create(&a, requests, "10.0.0.1");
    thrd_create(&b, requests, "10.0.0.2");
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    mtx_lock(&mtx);
    over = true;
    mtx_unlock(&mtx);
    thrd_join(r, NULL);
    printf("%d allowed, %d denied\n", allowed, denied);
    return 0;
}
