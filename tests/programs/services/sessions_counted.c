// EXPECT: race store.count
/* Session store: check-then-act on the list outside the lock; tokens made with snprintf, compared with strcmp. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TOKEN 24
#define MAX_SESSIONS 5

struct session {
    char token[TOKEN];
    char user[16];
    time_t expires;
    int hits;
    struct session *next;
};

static struct store {
    pthread_mutex_t lock;
    struct session *head;
    int count;
    unsigned serial;
} store = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void trim(void)
{
    struct session **pp, *s, **oldest = NULL;
    for (pp = &store.head; *pp; pp = &(*pp)->next)
        if (!oldest || (*pp)->expires <= (*oldest)->expires)
            oldest = pp;
    if (oldest) {
        s = *oldest;
        *oldest = s->next;
        free(s);
        store.count--;
    }
}

static int session_create(const char *user, char *token, int ttl)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        return -1;
    strncpy(s->user, user, sizeof s->user - 1);
    s->expires = time(NULL) + ttl;
    if (store.count >= MAX_SESSIONS) {       /* BUG: read outside the lock */
        pthread_mutex_lock(&store.lock);
        trim();
        pthread_mutex_unlock(&store.lock);
    }
    pthread_mutex_lock(&store.lock);
    snprintf(s->token, sizeof s->token, "%s-%u", user, ++store.serial);
    strcpy(token, s->token);
    s->next = store.head;
    store.head = s;
    store.count++;
    pthread_mutex_unlock(&store.lock);
    return 0;
}

static int session_check(const char *token)
{
    int ok = 0;
    time_t now = time(NULL);
    pthread_mutex_lock(&store.lock);
    for (struct session *s = store.head; s; s = s->next)
        if (strcmp(s->token, token) == 0) {
            if (s->expires > now) {
                s->hits++;
                ok = 1;
            }
            break;
        }
    pthread_mutex_unlock(&store.lock);
    return ok;
}

static int session_drop(const char *token)
{
    struct session **pp, *s;
    pthread_mutex_lock(&store.lock);
    for (pp = &store.head; (s = *pp); pp = &s->next)
        if (!strcmp(s->token, token)) {
            *pp = s->next;
            store.count--;
            pthread_mutex_unlock(&store.lock);
            free(s);
            return 1;
        }
    pthread_mutex_unlock(&store.lock);
    return 0;
}

static void *client(void *arg)
{
    const char *user = arg;
    char token[TOKEN];
    int good = 0;
    for (int i = 0; i < 10; i++) {
        if (session_create(user, token, 60) != 0)
            break;
        for (int j = 0; j < 3; j++)
            good += session_check(token);
        if (i % 3 == 0)
            session_drop(token);
    }
    return (void *)(long)good;
}

int main(void)
{
    static char *users[] = { "ann", "bob", "cyd" };
    pthread_t t[3];
    long sum = 0;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, client, users[i]);
    for (int i = 0; i < 3; i++) {
        void *r;
        pthread_join(t[i], &r);
        sum += (long)r;
    }
    while (store.head) {
        struct session *s = store.head;
        store.head = s->next;
        free(s);
    }
    printf("%ld\n", sum);
    return 0;
}
