// An LRU cache: entries are their maker's alone until they are in a list of both directions; what falls out is unlinked too late.
// EXPECT: race cache.oldest
// EXPECT: safe cache.count
// EXPECT: race malloc@cache_put:33.next
#include <pthread.h>
#include <stdlib.h>
struct item { int key; int value; struct item *prev, *next; };
static struct { pthread_mutex_t mu; struct item *newest, *oldest; int count; } cache = { .mu = PTHREAD_MUTEX_INITIALIZER };
static void unlink_item(struct item *it)
{
    if (it->prev) it->prev->next = it->next; else cache.newest = it->next;
    if (it->next) it->next->prev = it->prev; else cache.oldest = it->prev;
}
static void push_front(struct item *it)
{
    it->prev = NULL;
    it->next = cache.newest;
    if (cache.newest) cache.newest->prev = it;
    cache.newest = it;
    if (!cache.oldest) cache.oldest = it;
}
static int cache_get(int key)
{
    int r = -1;
    pthread_mutex_lock(&cache.mu);
    for (struct item *it = cache.newest; it; it = it->next)
        if (it->key == key) { unlink_item(it); push_front(it); r = it->value; break; }
    pthread_mutex_unlock(&cache.mu);
    return r;
}
static void cache_put(int key, int value)
{
    struct item *it = malloc(sizeof *it);
    if (!it) return;
    it->key = key; it->value = value;
    pthread_mutex_lock(&cache.mu);
    push_front(it);
    if (++cache.count > 10) {
        struct item *old = cache.oldest;
        cache.count--;
        pthread_mutex_unlock(&cache.mu);
        unlink_item(old);
        free(old);
        return;
    }
    pthread_mutex_unlock(&cache.mu);
}
static void *client(void *arg)
{
    for (int i = 0; i < 100; i++) { if (cache_get(i % 17) < 0) cache_put(i % 17, i); }
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, client, NULL);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return cache.count;
}
