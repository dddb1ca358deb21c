// As word_counts.c, with a mutex of its own for the number of words.
// EXPECT: safe malloc@map_create:41.size
// EXPECT: safe words
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NBUCKETS 64

typedef struct entry {
    char *key;
    int count;
    struct entry *next;
} entry;

typedef struct bucket {
    pthread_mutex_t lock;
    entry *first;
} bucket;

typedef struct map {
    bucket buckets[NBUCKETS];
    pthread_mutex_t size_lock;
    size_t size;
} map;

static map *words;

static unsigned long djb2(const char *s)
{
    unsigned long h = 5381;
    int c;
    while ((c = *s++))
        h = ((h << 5) + h) + c;
    return h;
}

static map *map_create(void)
{
    map *m = malloc(sizeof(map));
    if (!m) return NULL;
    for (int i = 0; i < NBUCKETS; i++) {
        pthread_mutex_init(&m->buckets[i].lock, NULL);
        m->buckets[i].first = NULL;
    }
    pthread_mutex_init(&m->size_lock, NULL);
    m->size = 0;
    return m;
}

static int map_add(map *m, const char *key, int by)
{
    bucket *b = &m->buckets[djb2(key) % NBUCKETS];
    entry *e;
    int total;

    pthread_mutex_lock(&b->lock);
    for (e = b->first; e; e = e->next)
        if (!strcmp(e->key, key))
            break;
    if (!e) {
        e = malloc(sizeof(*e));
        if (!e) {
            pthread_mutex_unlock(&b->lock);
            return -1;
        }
        e->key = strdup(key);
        e->count = 0;
        e->next = b->first;
        b->first = e;
        pthread_mutex_lock(&m->size_lock);
        m->size++;
        pthread_mutex_unlock(&m->size_lock);
    }
    e->count += by;
    total = e->count;
    pthread_mutex_unlock(&b->lock);
    return total;
}

static int map_get(map *m, const char *key)
{
    bucket *b = &m->buckets[djb2(key) % NBUCKETS];
    int n = 0;
    pthread_mutex_lock(&b->lock);
    for (entry *e = b->first; e; e = e->next)
        if (strcmp(e->key, key) == 0) {
            n = e->count;
            break;
        }
    pthread_mutex_unlock(&b->lock);
    return n;
}

static const char *text[] = { "the quick brown fox", "jumps over the lazy dog", "the end of the story" };

static void *count_words(void *arg)
{
    char buf[64], *save = NULL, *tok;
    strncpy(buf, arg, sizeof buf - 1);
    buf[sizeof buf - 1] = '\0';
    for (tok = strtok_r(buf, " ", &save); tok; tok = strtok_r(NULL, " ", &save))
        if (map_add(words, tok, 1) < 0) {
            fprintf(stderr, "out of memory\n");
            return (void *)1;
        }
    return NULL;
}

static void map_free(map *m)
{
    for (int i = 0; i < NBUCKETS; i++) {
        entry *e = m->buckets[i].first;
        while (e) {
            entry *n = e->next;
            free(e->key);
            free(e);
            e = n;
        }
        pthread_mutex_destroy(&m->buckets[i].lock);
    }
    free(m);
}

int main(void)
{
    pthread_t t[3];
    void *rc;
    words = map_create();
    if (!words) return 1;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, count_words, (void *)text[i]);
    for (int i = 0; i < 3; i++) {
        pthread_join(t[i], &rc);
        if (rc) return 1;
    }
    printf("the: %d of %zu\n", map_get(words, "the"), words->size);
    map_free(words);
    return 0;
}
