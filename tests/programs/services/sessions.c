// EXPECT: race reaped
/* Sessions of a server by token: a lock for each bucket, a reaper that removes those nobody used for long. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUCKETS 8
#define TTL 5

typedef struct session {
    char token[17];
    char *user;
    time_t last_seen;
    unsigned requests;
    struct session *next;
} session_t;

typedef struct {
    pthread_mutex_t lock;
    session_t *first;
    unsigned length;
} bucket_t;

static bucket_t table[BUCKETS];
static pthread_mutex_t stop_lock = PTHREAD_MUTEX_INITIALIZER;
static int stop;
static unsigned long reaped;

static bucket_t *bucket_of(const char *token)
{
    unsigned h = 2166136261u;
    for (; *token; token++)
        h = (h ^ (unsigned char)*token) * 16777619u;
    return &table[h % BUCKETS];
}

static int stopping(void)
{
    pthread_mutex_lock(&stop_lock);
    int s = stop;
    pthread_mutex_unlock(&stop_lock);
    return s;
}

int session_open(const char *token, const char *user)
{
    session_t *s = malloc(sizeof *s);
    if (s == NULL)
        return -1;
    strncpy(s->token, token, sizeof s->token - 1);
    s->token[sizeof s->token - 1] = '\0';
    s->user = strdup(user);
    if (s->user == NULL) {
        free(s);
        return -1;
    }
    s->last_seen = time(NULL);
    s->requests = 0;
    bucket_t *b = bucket_of(token);
    pthread_mutex_lock(&b->lock);
    s->next = b->first;
    b->first = s;
    b->length++;
    pthread_mutex_unlock(&b->lock);
    return 0;
}

int session_touch(const char *token)
{
    bucket_t *b = bucket_of(token);
    int found = 0;
    pthread_mutex_lock(&b->lock);
    for (session_t *s = b->first; s != NULL; s = s->next) {
        if (strcmp(s->token, token) == 0) {
            s->last_seen = time(NULL);
            s->requests++;
            found = 1;
            break;
        }
    }
    pthread_mutex_unlock(&b->lock);
    return found;
}

static void *reaper(void *unused)
{
    (void)unused;
    while (!stopping()) {
        time_t now = time(NULL);
        for (int i = 0; i < BUCKETS; i++) {
            pthread_mutex_lock(&table[i].lock);
            session_t **link = &table[i].first;
            while (*link != NULL) {
                session_t *s = *link;
                if (now - s->last_seen > TTL) {
                    *link = s->next;
                    table[i].length--;
                    free(s->user);
                    free(s);
#ifndef FIXED
                    reaped++;
#else
                    __atomic_add_fetch(&reaped, 1, __ATOMIC_SEQ_CST);
#endif
                } else {
                    link = &s->next;
                }
            }
            pthread_mutex_unlock(&table[i].lock);
        }
        usleep(1000);
    }
    return NULL;
}

static void *handler(void *arg)
{
    char token[17];
    long id = (long)arg;
    for (int i = 0; i < 20; i++) {
        snprintf(token, sizeof token, "%ld-%d", id, i % 4);
        if (!session_touch(token))
            session_open(token, id % 2 ? "alice" : "bob");
    }
    return NULL;
}

int main(void)
{
    pthread_t h[3], r;
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].lock, NULL);
    pthread_create(&r, NULL, reaper, NULL);
    for (long i = 0; i < 3; i++)
        pthread_create(&h[i], NULL, handler, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(h[i], NULL);
#ifndef FIXED
    printf("%lu reaped\n", reaped);
#else
    printf("%lu reaped\n", __atomic_load_n(&reaped, __ATOMIC_SEQ_CST));
#endif
    pthread_mutex_lock(&stop_lock);
    stop = 1;
    pthread_mutex_unlock(&stop_lock);
    pthread_join(r, NULL);
    return 0;
}
