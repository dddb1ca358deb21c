// Threads get the part of a table that they sum up, and their result, in a struct each.
// EXPECT: safe table[]
// EXPECT: safe main::parts[].sum
#include <pthread.h>

struct part { int *table; int from, to; long sum; };
static int table[512];

static void *sum_up(void *arg)
{
    struct part *p = arg;

    for (int i = p->from; i < p->to; i++) {
        p->table[i] &= 0xff;
        p->sum += p->table[i];
    }
    return 0;
}

int main(void)
{
    struct part parts[2];
    pthread_t t[2];
    long all = 0;

    for (int i = 0; i < 2; i++) {
        parts[i].table = table;
        parts[i].from = i * 256;
        parts[i].to = parts[i].from + 256;
        parts[i].sum = 0;
        pthread_create(&t[i], 0, sum_up, &parts[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], 0);
        all += parts[i].sum;
    }
    return (int)all;
}
