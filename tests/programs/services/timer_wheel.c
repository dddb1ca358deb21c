// EXPECT: race wheel.now
/* A timer wheel of 64 slots: a ticker thread fires what is due, others arm and cancel timers. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SLOTS 64

typedef void (*timer_cb)(void *ctx);

struct timer {
    struct timer *next;
    unsigned expires;
    timer_cb cb;
    void *ctx;
};

struct wheel {
    pthread_mutex_t lock;
    struct timer *slot[SLOTS];
    unsigned now;
    unsigned armed;
    bool stop;
};

static struct wheel wheel;
static pthread_mutex_t fired_lock = PTHREAD_MUTEX_INITIALIZER;
static int fired;

static void wheel_init(struct wheel *w)
{
    pthread_mutex_init(&w->lock, NULL);
    for (int i = 0; i < SLOTS; i++)
        w->slot[i] = NULL;
    w->now = 0;
    w->armed = 0;
    w->stop = false;
}

static struct timer *timer_arm(struct wheel *w, unsigned ticks, timer_cb cb, void *ctx)
{
    struct timer *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->cb = cb;
    t->ctx = ctx;
    t->expires = w->now + ticks; /* racy: now is read before the lock is taken */
    pthread_mutex_lock(&w->lock);
    t->next = w->slot[t->expires % SLOTS];
    w->slot[t->expires % SLOTS] = t;
    w->armed++;
    pthread_mutex_unlock(&w->lock);
    return t;
}

static void run_list(struct timer *list)
{
    while (list) {
        struct timer *t = list;
        list = t->next;
        t->cb(t->ctx);
        free(t);
    }
}

static void *ticker(void *arg)
{
    struct wheel *w = arg;
    for (;;) {
        struct timer *due = NULL, **p, *t;
        usleep(1000);
        pthread_mutex_lock(&w->lock);
        if (w->stop) {
            pthread_mutex_unlock(&w->lock);
            break;
        }
        w->now++;
        p = &w->slot[w->now % SLOTS];
        while ((t = *p) != NULL) {
            if (t->expires == w->now) {
                *p = t->next;
                t->next = due;
                due = t;
                w->armed--;
            } else {
                p = &t->next;
            }
        }
        pthread_mutex_unlock(&w->lock);
        run_list(due);
    }
    return NULL;
}

static void on_timer(void *ctx)
{
    int *amount = ctx;
    pthread_mutex_lock(&fired_lock);
    fired += *amount;
    pthread_mutex_unlock(&fired_lock);
}

static int one = 1, two = 2;

static void *client(void *arg)
{
    struct wheel *w = arg;
    for (unsigned i = 1; i <= 20; i++) {
        if (!timer_arm(w, i, on_timer, i % 2 ? &one : &two)) {
            fputs("out of memory\n", stderr);
            break;
        }
        usleep(500);
    }
    return NULL;
}

int main(void)
{
    pthread_t tick, c1, c2;
    wheel_init(&wheel);
    pthread_create(&tick, NULL, ticker, &wheel);
    pthread_create(&c1, NULL, client, &wheel);
    pthread_create(&c2, NULL, client, &wheel);
    pthread_join(c1, NULL);
    pthread_join(c2, NULL);
    usleep(100000);
    pthread_mutex_lock(&wheel.lock);
    wheel.stop = true;
    pthread_mutex_unlock(&wheel.lock);
    pthread_join(tick, NULL);
    printf("%d fired, %u still armed\n", fired, wheel.armed);
    return 0;
}
