// An LRU cache under one mutex; hits and misses are counted after it is given back, and the evictor reads its flag without it.
// EXPECT: race calloc@cache_new:45.hits
// EXPECT: race calloc@cache_new:45.misses
// EXPECT: race calloc@cache_new:45.running
/* An LRU cache with a hash table, used by several request threads, with an evictor. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUCKETS 64
#define CAPACITY 128

typedef struct entry {
    char *key;
    char *value;
    time_t last_used;
    struct entry *hash_next;
    struct entry *lru_prev, *lru_next;
} entry_t;

typedef struct {
    pthread_mutex_t mutex;
    entry_t *buckets[BUCKETS];
    entry_t *lru_head, *lru_tail;
    size_t size;
    unsigned hits, misses;
    int running;
} cache_t;

static cache_t *cache;

static unsigned hash(const char *s)
{
    unsigned h = 5381;
    while (*s)
        h = h * 33 + (unsigned char)*s++;
    return h % BUCKETS;
}

static cache_t *cache_new(void)
{
    cache_t *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    pthread_mutex_init(&c->mutex, NULL);
    c->running = 1;
    return c;
}

static void lru_unlink(cache_t *c, entry_t *e)
{
    if (e->lru_prev)
        e->lru_prev->lru_next = e->lru_next;
    else
        c->lru_head = e->lru_next;
    if (e->lru_next)
        e->lru_next->lru_prev = e->lru_prev;
    else
        c->lru_tail = e->lru_prev;
    e->lru_prev = e->lru_next = NULL;
}

static void lru_front(cache_t *c, entry_t *e)
{
    e->lru_next = c->lru_head;
    e->lru_prev = NULL;
    if (c->lru_head)
        c->lru_head->lru_prev = e;
    c->lru_head = e;
    if (!c->lru_tail)
        c->lru_tail = e;
}

static entry_t *find(cache_t *c, const char *key)
{
    entry_t *e;
    for (e = c->buckets[hash(key)]; e; e = e->hash_next)
        if (strcmp(e->key, key) == 0)
            return e;
    return NULL;
}

static void drop(cache_t *c, entry_t *e)
{
    entry_t **p = &c->buckets[hash(e->key)];
    while (*p != e)
        p = &(*p)->hash_next;
    *p = e->hash_next;
    lru_unlink(c, e);
    c->size--;
    free(e->key);
    free(e->value);
    free(e);
}

int cache_get(cache_t *c, const char *key, char *out, size_t n)
{
    int found = 0;
    pthread_mutex_lock(&c->mutex);
    entry_t *e = find(c, key);
    if (e) {
        e->last_used = time(NULL);
        lru_unlink(c, e);
        lru_front(c, e);
        strncpy(out, e->value, n - 1);
        out[n - 1] = '\0';
        found = 1;
    }
    pthread_mutex_unlock(&c->mutex);
    if (found)
        c->hits++;
    else
        c->misses++;
    return found;
}

void cache_put(cache_t *c, const char *key, const char *value)
{
    pthread_mutex_lock(&c->mutex);
    entry_t *e = find(c, key);
    if (e) {
        free(e->value);
        e->value = strdup(value);
    } else {
        unsigned h = hash(key);
        e = calloc(1, sizeof *e);
        e->key = strdup(key);
        e->value = strdup(value);
        e->hash_next = c->buckets[h];
        c->buckets[h] = e;
        lru_front(c, e);
        c->size++;
        while (c->size > CAPACITY)
            drop(c, c->lru_tail);
    }
    e->last_used = time(NULL);
    pthread_mutex_unlock(&c->mutex);
}

static void *evictor(void *arg)
{
    cache_t *c = arg;
    while (c->running) {
        sleep(1);
        pthread_mutex_lock(&c->mutex);
        time_t now = time(NULL);
        while (c->lru_tail && c->lru_tail->last_used < now - 60)
            drop(c, c->lru_tail);
        pthread_mutex_unlock(&c->mutex);
    }
    return NULL;
}

static void *client(void *arg)
{
    char key[32], value[64];
    unsigned seed = (unsigned)(long)arg;
    for (int i = 0; i < 10000; i++) {
        snprintf(key, sizeof key, "key-%d", rand_r(&seed) % 500);
        if (!cache_get(cache, key, value, sizeof value)) {
            snprintf(value, sizeof value, "value of %s", key);
            cache_put(cache, key, value);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t ev, clients[8];
    cache = cache_new();
    pthread_create(&ev, NULL, evictor, cache);
    for (long i = 0; i < 8; i++)
        pthread_create(&clients[i], NULL, client, (void *)i);
    for (int i = 0; i < 8; i++)
        pthread_join(clients[i], NULL);
    cache->running = 0;
    pthread_join(ev, NULL);
    printf("%u hits, %u misses, %zu entries\n", cache->hits, cache->misses, cache->size);
    return 0;
}
