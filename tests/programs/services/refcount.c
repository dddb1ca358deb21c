// EXPECT: race malloc@doc_create:27.touched
// EXPECT: safe registry
/* Shared documents with a reference count; each has a lock for its text, the registry has one for the list. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct doc {
    atomic_int refs;
    pthread_mutex_t lock;
    char *text;
    size_t length;
    time_t touched; /* racy: set by readers without the lock */
    int id;
    struct doc *next;
};

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static struct doc *registry;
static int next_id;

static struct doc *doc_create(const char *text)
{
    struct doc *d = malloc(sizeof(*d));
    if (!d)
        abort();
    atomic_init(&d->refs, 1);
    pthread_mutex_init(&d->lock, NULL);
    d->text = strdup(text);
    d->length = strlen(text);
    d->touched = time(NULL);
    pthread_mutex_lock(&registry_lock);
    d->id = next_id++;
    d->next = registry;
    registry = d;
    pthread_mutex_unlock(&registry_lock);
    return d;
}

static struct doc *doc_find(int id)
{
    struct doc *d;
    pthread_mutex_lock(&registry_lock);
    for (d = registry; d != NULL; d = d->next) {
        if (d->id == id) {
            atomic_fetch_add(&d->refs, 1);
            break;
        }
    }
    pthread_mutex_unlock(&registry_lock);
    return d;
}

static void doc_put(struct doc *d)
{
    if (atomic_fetch_sub(&d->refs, 1) == 1) {
        pthread_mutex_destroy(&d->lock);
        free(d->text);
        free(d);
    }
}

static void doc_append(struct doc *d, const char *more)
{
    size_t n = strlen(more);
    pthread_mutex_lock(&d->lock);
    char *t = realloc(d->text, d->length + n + 1);
    if (t) {
        memcpy(t + d->length, more, n + 1);
        d->text = t;
        d->length += n;
    }
    pthread_mutex_unlock(&d->lock);
}

static size_t doc_length(struct doc *d)
{
    size_t n;
    pthread_mutex_lock(&d->lock);
    n = d->length;
    pthread_mutex_unlock(&d->lock);
    d->touched = time(NULL);
    return n;
}

static void *editor(void *arg)
{
    int id = *(int *)arg;
    for (int i = 0; i < 10; i++) {
        struct doc *d = doc_find(id);
        if (d == NULL)
            return NULL;
        doc_append(d, "more ");
        if (doc_length(d) > 1000) {
            doc_put(d);
            break;
        }
        doc_put(d);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    int ids[2] = { 0, 1 };
    doc_create("first");
    doc_create("second");
    for (int i = 0; i < 4; i++)
        if (pthread_create(&t[i], NULL, editor, &ids[i % 2])) {
            perror("pthread_create");
            return 1;
        }
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    for (struct doc *d = registry, *n; d; d = n) {
        n = d->next;
        printf("%d: %zu bytes\n", d->id, d->length);
        doc_put(d);
    }
    return 0;
}
