// EXPECT: race clock_now
// EXPECT: safe ntimers
/* Timers in a sorted array; a thread fires those that are due. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX_TIMERS 20

struct timer { long due; void (*fire)(void *); void *arg; };

static struct timer timers[MAX_TIMERS];
static int ntimers;
static pthread_mutex_t timers_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t timers_changed = PTHREAD_COND_INITIALIZER;
static int shutting_down;
static long clock_now;
static int fired_count;

static void on_tick(void *arg)
{
    int *counter = arg;
    __sync_fetch_and_add(counter, 1);
}

static int timer_add(long due, void (*fire)(void *), void *arg)
{
    int i;
    pthread_mutex_lock(&timers_lock);
    if (ntimers == MAX_TIMERS) {
        pthread_mutex_unlock(&timers_lock);
        return -1;
    }
    for (i = ntimers; i > 0 && timers[i - 1].due > due; i--)
        timers[i] = timers[i - 1];
    timers[i].due = due;
    timers[i].fire = fire;
    timers[i].arg = arg;
    ntimers++;
    pthread_cond_signal(&timers_changed);
    pthread_mutex_unlock(&timers_lock);
    return 0;
}

static void *timer_thread(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&timers_lock);
    while (!shutting_down || ntimers > 0) {
        if (ntimers == 0) {
            pthread_cond_wait(&timers_changed, &timers_lock);
            continue;
        }
        struct timer first = timers[0];
        for (int i = 1; i < ntimers; i++)
            timers[i - 1] = timers[i];
        ntimers--;
#ifdef FIXED
        clock_now = first.due;
#endif
        pthread_mutex_unlock(&timers_lock);
#ifndef FIXED
        clock_now = first.due;
#endif
        first.fire(first.arg);
        pthread_mutex_lock(&timers_lock);
    }
    pthread_mutex_unlock(&timers_lock);
    return NULL;
}

static void *user(void *arg)
{
    long base = (long)arg, now;
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&timers_lock);
        now = clock_now;
        pthread_mutex_unlock(&timers_lock);
        timer_add(now + base + i, on_tick, &fired_count);
    }
    return NULL;
}

int main(void)
{
    pthread_t t, u[2];
    pthread_create(&t, NULL, timer_thread, NULL);
    pthread_create(&u[0], NULL, user, (void *)10L);
    pthread_create(&u[1], NULL, user, (void *)20L);
    pthread_join(u[0], NULL);
    pthread_join(u[1], NULL);
    pthread_mutex_lock(&timers_lock);
    shutting_down = 1;
    pthread_cond_signal(&timers_changed);
    pthread_mutex_unlock(&timers_lock);
    pthread_join(t, NULL);
    printf("%d\n", fired_count);
    return 0;
}
