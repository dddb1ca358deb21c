// EXPECT: race hits
/* Interned strings: each text is kept once, callers compare pointers. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX 64

static struct {
    pthread_rwlock_t lock;
    const char *texts[MAX];
    size_t n;
} pool = { .lock = PTHREAD_RWLOCK_INITIALIZER };

static size_t hits, adds;

static const char *lookup(const char *s)
{
    for (size_t i = 0; i < pool.n; i++)
        if (strcmp(pool.texts[i], s) == 0)
            return pool.texts[i];
    return NULL;
}

const char *intern(const char *s)
{
    const char *found;
    pthread_rwlock_rdlock(&pool.lock);
    found = lookup(s);
#ifndef FIXED
    if (found)
        hits++;                /* readers are not alone */
#endif
    pthread_rwlock_unlock(&pool.lock);
    if (found)
        return found;
    pthread_rwlock_wrlock(&pool.lock);
    found = lookup(s);
    if (!found && pool.n < MAX) {
        char *copy = strdup(s);
        if (copy) {
            pool.texts[pool.n++] = copy;
            adds++;
            found = copy;
        }
    }
    pthread_rwlock_unlock(&pool.lock);
    return found;
}

static void *scanner(void *arg)
{
    static const char *const words[] = { "int", "return", "while", "int", "char", "return" };
    const char *const *w = words;
    int same = 0;
    (void)arg;
    for (size_t i = 1; i < sizeof words / sizeof *words; i++)
        if (intern(w[i]) == intern(w[i - 1]))
            same++;
    printf("%d\n", same);
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        if (pthread_create(&t[i], NULL, scanner, NULL))
            abort();
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%zu hits, %zu adds\n", hits, adds);
    return 0;
}
