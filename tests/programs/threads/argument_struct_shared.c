// By mistake both threads get the same struct.
//
// EXPECT: race left.sum
#include <pthread.h>

struct task {
    int from, sum;
};

static struct task left, right;

static void *worker(void *arg)
{
    struct task *t = arg;
    int i;

    t->sum = 0;
    for (i = t->from; i < 10; i++)
        t->sum += i;
    return 0;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, worker, &left);
    pthread_create(&b, 0, worker, &left);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return left.sum + right.sum;
}
