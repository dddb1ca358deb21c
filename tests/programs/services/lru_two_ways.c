// A cache whose entries are in a list of both directions and in buckets, under one mutex; hits are counted after it is given back.
// EXPECT: race cache.hits
// EXPECT: safe cache.mru
// EXPECT: safe cache.lru
// EXPECT: safe cache.buckets[]
// EXPECT: safe cache.count
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NBUCKETS 16
#define CAPACITY 8

struct node {
    char *key;
    int value;
    struct node *prev, *next;
    struct node *chain;
};

static struct {
    pthread_mutex_t lock;
    struct node *mru, *lru;
    struct node *buckets[NBUCKETS];
    unsigned count;
    unsigned long hits;
} cache = { .lock = PTHREAD_MUTEX_INITIALIZER };

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h % NBUCKETS;
}

static void detach(struct node *n)
{
    if (n->prev)
        n->prev->next = n->next;
    else
        cache.mru = n->next;
    if (n->next)
        n->next->prev = n->prev;
    else
        cache.lru = n->prev;
    n->prev = n->next = NULL;
}

static void push_front(struct node *n)
{
    n->prev = NULL;
    n->next = cache.mru;
    if (cache.mru)
        cache.mru->prev = n;
    else
        cache.lru = n;
    cache.mru = n;
}

static void unchain(struct node *n)
{
    struct node **pp = &cache.buckets[hash(n->key)];
    while (*pp && *pp != n)
        pp = &(*pp)->chain;
    if (*pp)
        *pp = n->chain;
}

static struct node *find(const char *key)
{
    for (struct node *n = cache.buckets[hash(key)]; n; n = n->chain)
        if (strcmp(n->key, key) == 0)
            return n;
    return NULL;
}

int cache_get(const char *key, int *out)
{
    int found = 0;
    pthread_mutex_lock(&cache.lock);
    struct node *n = find(key);
    if (n) {
        *out = n->value;
        detach(n);
        push_front(n);
        found = 1;
    }
    pthread_mutex_unlock(&cache.lock);
    if (found)
        cache.hits++;
    return found;
}

void cache_put(const char *key, int value)
{
    pthread_mutex_lock(&cache.lock);
    struct node *n = find(key);
    if (n) {
        n->value = value;
        detach(n);
        push_front(n);
    } else {
        if (cache.count >= CAPACITY) {
            struct node *old = cache.lru;
            detach(old);
            unchain(old);
            free(old->key);
            free(old);
            cache.count--;
        }
        n = calloc(1, sizeof *n);
        if (n) {
            n->key = strdup(key);
            n->value = value;
            unsigned h = hash(key);
            n->chain = cache.buckets[h];
            cache.buckets[h] = n;
            push_front(n);
            cache.count++;
        }
    }
    pthread_mutex_unlock(&cache.lock);
}

static void *client(void *arg)
{
    int id = (int)(long)arg;
    char key[32];
    for (int i = 0; i < 200; i++) {
        int v;
        snprintf(key, sizeof key, "user:%d", (i * 7 + id) % 20);
        if (!cache_get(key, &v))
            cache_put(key, i);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, client, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("hits %lu of %u entries\n", cache.hits, cache.count);
    return 0;
}
