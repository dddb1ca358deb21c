// EXPECT: race hits
// EXPECT: safe cache.buckets[]
// EXPECT: safe cache.newest
// EXPECT: safe cache.count
// EXPECT: safe misses
// EXPECT: safe malloc@cache_put:119.key
// EXPECT: safe malloc@cache_put:119.older
/* An LRU cache: hash chains for lookup, a doubly linked list for age, all under one mutex. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NBUCKETS 16
#define CAPACITY 8
#define NCLIENTS 3

struct entry {
    char *key;
    int value;
    struct entry *chain;
    struct entry *newer, *older;
};

static struct {
    pthread_mutex_t lock;
    struct entry *buckets[NBUCKETS];
    struct entry *newest, *oldest;
    size_t count;
} cache = { .lock = PTHREAD_MUTEX_INITIALIZER };

static unsigned long hits;   /* racy: updated after the lock is given back */
static unsigned long misses; /* under cache.lock */

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h % NBUCKETS;
}

static void unlink_age(struct entry *e)
{
    if (e->newer)
        e->newer->older = e->older;
    else
        cache.newest = e->older;
    if (e->older)
        e->older->newer = e->newer;
    else
        cache.oldest = e->newer;
}

static void push_newest(struct entry *e)
{
    e->newer = NULL;
    e->older = cache.newest;
    if (cache.newest)
        cache.newest->newer = e;
    cache.newest = e;
    if (!cache.oldest)
        cache.oldest = e;
}

static struct entry *find(const char *key)
{
    for (struct entry *e = cache.buckets[hash(key)]; e; e = e->chain)
        if (strcmp(e->key, key) == 0)
            return e;
    return NULL;
}

static void drop_oldest(void)
{
    struct entry *e = cache.oldest, **p;
    if (!e)
        return;
    unlink_age(e);
    for (p = &cache.buckets[hash(e->key)]; *p; p = &(*p)->chain)
        if (*p == e) {
            *p = e->chain;
            break;
        }
    cache.count--;
    free(e->key);
    free(e);
}

int cache_get(const char *key, int *out)
{
    int found = 0;
    pthread_mutex_lock(&cache.lock);
    struct entry *e = find(key);
    if (e) {
        unlink_age(e);
        push_newest(e);
        *out = e->value;
        found = 1;
    } else {
        misses++;
    }
    pthread_mutex_unlock(&cache.lock);
    if (found)
        hits++;
    return found;
}

void cache_put(const char *key, int value)
{
    pthread_mutex_lock(&cache.lock);
    struct entry *e = find(key);
    if (e) {
        e->value = value;
    } else {
        if (cache.count >= CAPACITY)
            drop_oldest();
        e = malloc(sizeof *e);
        if (e == NULL) {
            pthread_mutex_unlock(&cache.lock);
            return;
        }
        e->key = strdup(key);
        e->value = value;
        unsigned h = hash(key);
        e->chain = cache.buckets[h];
        cache.buckets[h] = e;
        push_newest(e);
        cache.count++;
    }
    pthread_mutex_unlock(&cache.lock);
}

static void *client(void *arg)
{
    int id = (int)(intptr_t)arg;
    char key[32];
    for (int i = 0; i < 100; i++) {
        int v;
        snprintf(key, sizeof key, "k%d", (i * 7 + id) % 20);
        if (!cache_get(key, &v))
            cache_put(key, i);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[NCLIENTS];
    for (int i = 0; i < NCLIENTS; i++)
        pthread_create(&t[i], NULL, client, (void *)(intptr_t)i);
    for (int i = 0; i < NCLIENTS; i++)
        pthread_join(t[i], NULL);
    printf("%lu hits, %lu misses, %zu entries\n", hits, misses, cache.count);
    return 0;
}
