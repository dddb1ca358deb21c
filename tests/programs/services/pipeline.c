// EXPECT: race processed
// EXPECT: safe q_in.slots[]
// EXPECT: safe q_in.n
// EXPECT: safe q_out.in
// EXPECT: safe q_out.closed
/* Three stages connected by bounded queues of pointers: read, transform, write. Messages move, they are not shared. */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QLEN 8

typedef struct {
    char *text;
    size_t len;
    int seq;
} msg_t;

typedef struct {
    msg_t *slots[QLEN];
    int in, out, n;
    int closed;
    pthread_mutex_t mtx;
    pthread_cond_t can_put, can_get;
} queue_t;

static queue_t q_in, q_out;
static int processed;

static void queue_init(queue_t *q)
{
    memset(q, 0, sizeof *q);
    pthread_mutex_init(&q->mtx, NULL);
    pthread_cond_init(&q->can_put, NULL);
    pthread_cond_init(&q->can_get, NULL);
}

static void queue_put(queue_t *q, msg_t *m)
{
    pthread_mutex_lock(&q->mtx);
    while (q->n == QLEN)
        pthread_cond_wait(&q->can_put, &q->mtx);
    q->slots[q->in] = m;
    q->in = (q->in + 1) % QLEN;
    q->n++;
    pthread_cond_signal(&q->can_get);
    pthread_mutex_unlock(&q->mtx);
}

static msg_t *queue_get(queue_t *q)
{
    msg_t *m = NULL;
    pthread_mutex_lock(&q->mtx);
    while (q->n == 0 && !q->closed)
        pthread_cond_wait(&q->can_get, &q->mtx);
    if (q->n > 0) {
        m = q->slots[q->out];
        q->out = (q->out + 1) % QLEN;
        q->n--;
        pthread_cond_signal(&q->can_put);
    }
    pthread_mutex_unlock(&q->mtx);
    return m;
}

static void queue_close(queue_t *q)
{
    pthread_mutex_lock(&q->mtx);
    q->closed = 1;
    pthread_cond_broadcast(&q->can_get);
    pthread_mutex_unlock(&q->mtx);
}

static void *stage_read(void *arg)
{
    char buf[512];
    int seq = 0;
    (void)arg;
    while (fgets(buf, sizeof buf, stdin)) {
        msg_t *m = malloc(sizeof *m);
        if (!m)
            break;
        m->len = strlen(buf);
        m->text = strdup(buf);
        m->seq = seq++;
        queue_put(&q_in, m);
    }
    queue_close(&q_in);
    return NULL;
}

static void *stage_upper(void *arg)
{
    msg_t *m;
    (void)arg;
    while ((m = queue_get(&q_in))) {
        for (size_t i = 0; i < m->len; i++)
            m->text[i] = (char)toupper((unsigned char)m->text[i]);
        processed++; /* racy: main polls it */
        queue_put(&q_out, m);
    }
    queue_close(&q_out);
    return NULL;
}

static void *stage_write(void *arg)
{
    FILE *to = arg;
    msg_t *m;
    while ((m = queue_get(&q_out))) {
        fprintf(to, "%5d %s", m->seq, m->text);
        free(m->text);
        free(m);
    }
    return NULL;
}

int main(void)
{
    pthread_t r, u, w;
    queue_init(&q_in);
    queue_init(&q_out);
    pthread_create(&r, NULL, stage_read, NULL);
    pthread_create(&u, NULL, stage_upper, NULL);
    pthread_create(&w, NULL, stage_write, stdout);
    pthread_join(r, NULL);
    fprintf(stderr, "read everything, %d processed\n", processed);
    pthread_join(u, NULL);
    pthread_join(w, NULL);
    return 0;
}
