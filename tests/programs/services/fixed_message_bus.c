// As message_bus.c, counted in one step.
// EXPECT: safe bus.published
// EXPECT: safe bus.nsubs
// EXPECT: safe bus.subs[]
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_SUBS 8
#define BOX 16

typedef struct { int topic; int seq; char body[48]; } Message;

typedef struct Subscriber Subscriber;
typedef struct {
    const char *(*name)(Subscriber *);
    void (*deliver)(Subscriber *, const Message *);
} SubscriberOps;

struct Subscriber {
    const SubscriberOps *ops;
    int topic;
    pthread_mutex_t mtx;
    pthread_cond_t cv;
    Message box[BOX];
    int rd, wr;
    bool closed;
    long handled;
};

typedef struct {
    pthread_rwlock_t lock;
    Subscriber *subs[MAX_SUBS];
    int nsubs;
    long published;
} Bus;

static Bus bus = { .lock = PTHREAD_RWLOCK_INITIALIZER };

static const char *plain_name(Subscriber *s) { (void)s; return "plain"; }

static void plain_deliver(Subscriber *s, const Message *m)
{
    pthread_mutex_lock(&s->mtx);
    if (s->wr - s->rd < BOX) {
        s->box[s->wr % BOX] = *m;
        s->wr++;
        pthread_cond_signal(&s->cv);
    }
    pthread_mutex_unlock(&s->mtx);
}

static const SubscriberOps plain_ops = { plain_name, plain_deliver };

static Subscriber *subscribe(int topic)
{
    Subscriber *s = calloc(1, sizeof(Subscriber));
    if (s == NULL) return NULL;
    s->ops = &plain_ops;
    s->topic = topic;
    pthread_mutex_init(&s->mtx, NULL);
    pthread_cond_init(&s->cv, NULL);
    pthread_rwlock_wrlock(&bus.lock);
    if (bus.nsubs == MAX_SUBS) {
        pthread_rwlock_unlock(&bus.lock);
        free(s);
        return NULL;
    }
    bus.subs[bus.nsubs++] = s;
    pthread_rwlock_unlock(&bus.lock);
    return s;
}

static void publish(int topic, const char *text)
{
    static int seq;
    static pthread_mutex_t seq_mtx = PTHREAD_MUTEX_INITIALIZER;
    Message m;
    memset(&m, 0, sizeof m);
    m.topic = topic;
    pthread_mutex_lock(&seq_mtx);
    m.seq = ++seq;
    pthread_mutex_unlock(&seq_mtx);
    strncpy(m.body, text, sizeof m.body - 1);
    pthread_rwlock_rdlock(&bus.lock);
    for (int i = 0; i < bus.nsubs; i++)
        if (bus.subs[i]->topic == topic)
            bus.subs[i]->ops->deliver(bus.subs[i], &m);
    __atomic_fetch_add(&bus.published, 1, __ATOMIC_SEQ_CST);
    pthread_rwlock_unlock(&bus.lock);
}

static void *consumer(void *arg)
{
    Subscriber *s = arg;
    for (;;) {
        Message m;
        pthread_mutex_lock(&s->mtx);
        while (s->rd == s->wr && !s->closed)
            pthread_cond_wait(&s->cv, &s->mtx);
        if (s->rd == s->wr) {
            pthread_mutex_unlock(&s->mtx);
            return NULL;
        }
        m = s->box[s->rd % BOX];
        s->rd++;
        s->handled++;
        pthread_mutex_unlock(&s->mtx);
        printf("%s %d: %s\n", s->ops->name(s), m.seq, m.body);
    }
}

static void *producer(void *arg)
{
    int topic = *(int *)arg;
    for (int i = 0; i < 20; i++) {
        char text[40];
        sprintf(text, "message %d of %d", i, topic);
        publish(topic, text);
        usleep(50);
    }
    return NULL;
}

int main(void)
{
    int topics[2] = { 1, 2 };
    pthread_t c[2], p[2];
    Subscriber *s[2];
    for (int i = 0; i < 2; i++) {
        s[i] = subscribe(topics[i]);
        if (!s[i]) return 1;
        pthread_create(&c[i], NULL, consumer, s[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&p[i], NULL, producer, &topics[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(p[i], NULL);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&s[i]->mtx);
        s[i]->closed = true;
        pthread_cond_signal(&s[i]->cv);
        pthread_mutex_unlock(&s[i]->mtx);
        pthread_join(c[i], NULL);
        printf("%ld handled\n", s[i]->handled);
        free(s[i]);
    }
    printf("%ld published\n", bus.published);
    return 0;
}
