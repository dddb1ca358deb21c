// EXPECT: race finished
// EXPECT: safe list
// EXPECT: safe pending
// EXPECT: safe done
// EXPECT: safe total
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORKERS 4

struct item {
    int number;
    char label[20];
    struct item *next;
};

static struct item *list;
static int pending;
static int done;
static int finished;
static long total;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t total_m = PTHREAD_MUTEX_INITIALIZER;

static struct item *take(void)
{
    struct item *it;
    pthread_mutex_lock(&m);
    while (!list && !done)
        pthread_cond_wait(&c, &m);
    it = list;
    if (it) {
        list = it->next;
        pending--;
    }
    pthread_mutex_unlock(&m);
    return it;
}

static void put(struct item *it)
{
    pthread_mutex_lock(&m);
    it->next = list;
    list = it;
    pending++;
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&c);
}

static void *work(void *x)
{
    struct item *it;
    while ((it = take()) != NULL) {
        int n = it->number;
        it->number = n * n;
        printf("%s: %d\n", it->label, it->number);
        pthread_mutex_lock(&total_m);
        total += it->number;
        pthread_mutex_unlock(&total_m);
        free(it);
        finished++;             /* not protected */
    }
    return x;
}

int main(void)
{
    pthread_t t[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(t + i, 0, work, 0);
    for (int i = 0; i < 100; i++) {
        struct item *it = malloc(sizeof(struct item));
        it->number = i;
        sprintf(it->label, "item %d", i);
        put(it);
    }
    pthread_mutex_lock(&m);
    done = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], 0);
    printf("%d finished, total %ld\n", finished, total);
    return 0;
}
