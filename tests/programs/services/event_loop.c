// Events are posted to a loop that a pipe wakes; who asks how often it woke up takes no lock.
// EXPECT: race malloc@main:142.wakeups
// EXPECT: safe malloc@main:142.quit
// EXPECT: safe limiter.tokens
// EXPECT: safe limiter.denied
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct event {
    struct event *next;
    void (*cb)(void *ctx, int val);
    void *ctx;
    int val;
};

struct loop {
    int fds[2];
    pthread_mutex_t lock;
    struct event *head;
    struct event **tailp;
    int quit;
    unsigned long wakeups;
};

struct bucket {
    pthread_mutex_t lock;
    double tokens;
    double rate;
    int denied;
};

static struct bucket limiter = { .lock = PTHREAD_MUTEX_INITIALIZER, .tokens = 10.0, .rate = 1.5 };
static int handled;

static int limiter_take(struct bucket *b)
{
    int ok = 0;
    pthread_mutex_lock(&b->lock);
    b->tokens += b->rate;
    if (b->tokens > 20.0)
        b->tokens = 20.0;
    if (b->tokens >= 1.0) {
        b->tokens -= 1.0;
        ok = 1;
    } else {
        b->denied++;
    }
    pthread_mutex_unlock(&b->lock);
    return ok;
}

static int loop_init(struct loop *l)
{
    memset(l, 0, sizeof(*l));
    if (pipe(l->fds) < 0)
        return -errno;
    fcntl(l->fds[1], F_SETFL, O_NONBLOCK);
    pthread_mutex_init(&l->lock, NULL);
    l->tailp = &l->head;
    return 0;
}

static int loop_post(struct loop *l, void (*cb)(void *, int), void *ctx, int val)
{
    struct event *e = malloc(sizeof(*e));
    char c = 'x';
    if (!e)
        return -ENOMEM;
    e->next = NULL;
    e->cb = cb;
    e->ctx = ctx;
    e->val = val;
    pthread_mutex_lock(&l->lock);
    *l->tailp = e;
    l->tailp = &e->next;
    pthread_mutex_unlock(&l->lock);
    if (write(l->fds[1], &c, 1) < 0 && errno != EAGAIN)
        return -errno;
    return 0;
}

static void *loop_run(void *arg)
{
    struct loop *l = arg;
    struct pollfd pfd = { .fd = l->fds[0], .events = POLLIN };
    char buf[16];
    for (;;) {
        struct event *batch;
        int quit;
        if (poll(&pfd, 1, 1000) < 0 && errno != EINTR)
            break;
        if (read(l->fds[0], buf, sizeof(buf)) <= 0)
            break;
        l->wakeups++;
        pthread_mutex_lock(&l->lock);
        batch = l->head;
        l->head = NULL;
        l->tailp = &l->head;
        quit = l->quit;
        pthread_mutex_unlock(&l->lock);
        while (batch) {
            struct event *e = batch;
            batch = e->next;
            e->cb(e->ctx, e->val);
            handled++;
            free(e);
        }
        if (quit)
            break;
    }
    return NULL;
}

static void on_event(void *ctx, int val)
{
    struct bucket *b = ctx;
    if (limiter_take(b))
        printf("event %d\n", val);
}

static struct loop *the_loop;

static void *poster(void *arg)
{
    for (int i = 0; i < 30; i++) {
        if (loop_post(the_loop, on_event, &limiter, i) < 0)
            break;
        usleep(100);
    }
    return arg;
}

int main(void)
{
    pthread_t lt, p[2];
    struct loop *l = malloc(sizeof *l);
    if (!l || loop_init(l) < 0) {
        perror("loop");
        return 1;
    }
    the_loop = l;
    pthread_create(&lt, NULL, loop_run, l);
    pthread_create(&p[0], NULL, poster, NULL);
    pthread_create(&p[1], NULL, poster, NULL);
    usleep(2000);
    printf("%lu wakeups so far\n", l->wakeups);
    pthread_join(p[0], NULL);
    pthread_join(p[1], NULL);
    pthread_mutex_lock(&l->lock);
    l->quit = 1;
    pthread_mutex_unlock(&l->lock);
    (void)!write(l->fds[1], "q", 1);
    pthread_join(lt, NULL);
    printf("%d handled, %d denied\n", handled, limiter.denied);
    close(l->fds[0]);
    close(l->fds[1]);
    free(l);
    return 0;
}
