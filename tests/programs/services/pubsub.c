// EXPECT: race calloc@subscribe:82.received
// EXPECT: safe subscribers
// EXPECT: safe calloc@subscribe:82.next
/* Publish/subscribe: topics with a list of subscribers, each subscriber with a mailbox and a thread. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mail {
    char *body;
    struct mail *next;
};

struct subscriber {
    const char *name;
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    struct mail *first, *last;
    int closed;
    int received; /* racy: read by main while the subscriber runs */
    pthread_t thread;
    struct subscriber *next;
};

static struct subscriber *subscribers;
static pthread_rwlock_t subscribers_lock = PTHREAD_RWLOCK_INITIALIZER;

static void deliver(struct subscriber *s, const char *body)
{
    struct mail *m = malloc(sizeof(struct mail));
    if (m == NULL)
        return;
    m->body = strdup(body);
    m->next = NULL;
    pthread_mutex_lock(&s->lock);
    if (s->last != NULL)
        s->last->next = m;
    else
        s->first = m;
    s->last = m;
    pthread_cond_signal(&s->arrived);
    pthread_mutex_unlock(&s->lock);
}

static void publish(const char *body)
{
    struct subscriber *s;
    pthread_rwlock_rdlock(&subscribers_lock);
    for (s = subscribers; s != NULL; s = s->next)
        deliver(s, body);
    pthread_rwlock_unlock(&subscribers_lock);
}

static void *subscriber_main(void *arg)
{
    struct subscriber *self = arg;
    struct mail *m;
    pthread_mutex_lock(&self->lock);
    for (;;) {
        while (self->first == NULL && !self->closed)
            pthread_cond_wait(&self->arrived, &self->lock);
        m = self->first;
        if (m == NULL)
            break;
        self->first = m->next;
        if (self->first == NULL)
            self->last = NULL;
        pthread_mutex_unlock(&self->lock);
        printf("%s got %s\n", self->name, m->body);
        self->received++;
        free(m->body);
        free(m);
        pthread_mutex_lock(&self->lock);
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

static struct subscriber *subscribe(const char *name)
{
    struct subscriber *s = calloc(1, sizeof(struct subscriber));
    if (s == NULL)
        return NULL;
    s->name = name;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->arrived, NULL);
    if (pthread_create(&s->thread, NULL, subscriber_main, s) != 0) {
        free(s);
        return NULL;
    }
    pthread_rwlock_wrlock(&subscribers_lock);
    s->next = subscribers;
    subscribers = s;
    pthread_rwlock_unlock(&subscribers_lock);
    return s;
}

static void *publisher(void *arg)
{
    char text[40];
    int i;
    for (i = 0; i < 5; i++) {
        sprintf(text, "%s %d", (char *)arg, i);
        publish(text);
    }
    return NULL;
}

int main(void)
{
    struct subscriber *s, *n;
    pthread_t p1, p2;
    if (!subscribe("alpha") || !subscribe("beta"))
        return 1;
    pthread_create(&p1, NULL, publisher, "news");
    pthread_create(&p2, NULL, publisher, "sports");
    pthread_join(p1, NULL);
    pthread_join(p2, NULL);
    for (s = subscribers; s; s = s->next)
        printf("%s has had %d\n", s->name, s->received);
    for (s = subscribers; s; s = n) {
        n = s->next;
        pthread_mutex_lock(&s->lock);
        s->closed = 1;
        pthread_cond_signal(&s->arrived);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->thread, NULL);
        free(s);
    }
    return 0;
}
