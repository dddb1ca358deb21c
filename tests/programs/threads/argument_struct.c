// Each of two threads gets a pointer to a struct of its own; main reads both after joining.
//
// EXPECT: safe left.sum
// EXPECT: safe right.sum
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

    left.from = 0;
    right.from = 5;
    pthread_create(&a, 0, worker, &left);
    pthread_create(&b, 0, worker, &right);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return left.sum + right.sum;
}
