// A library without main: any number of threads call its functions, on stacks that they share.
// EXPECT: safe pushes
// EXPECT: race argument@stack[].peak
// EXPECT: race lookups
#include <pthread.h>

#define DEPTH 16

struct stack {
    pthread_mutex_t lock;
    int top;
    int peak;
    int items[DEPTH];
};

static pthread_mutex_t statistics = PTHREAD_MUTEX_INITIALIZER;
static long pushes;
static long lookups;

void stack_init(struct stack *s)
{
    pthread_mutex_init(&s->lock, NULL);
    s->top = 0;
}

void stack_destroy(struct stack *s)
{
    pthread_mutex_destroy(&s->lock);
    s->top = -1;
}

static void count(void)
{
    pthread_mutex_lock(&statistics);
    pushes++;
    pthread_mutex_unlock(&statistics);
}

int stack_push(struct stack *s, int value)
{
    int done = 0;

    pthread_mutex_lock(&s->lock);
    if (s->top >= 0 && s->top < DEPTH) {
        s->items[s->top++] = value;
        done = 1;
    }
    pthread_mutex_unlock(&s->lock);
    if (done && value > s->peak)
        s->peak = value;
    count();
    return done;
}

int stack_size(struct stack *s, int *size)
{
    lookups++;
    pthread_mutex_lock(&s->lock);
    *size = s->top;
    pthread_mutex_unlock(&s->lock);
    return 0;
}
