// EXPECT: safe data
// EXPECT: safe histogram[]
// EXPECT: safe main::blocks[].begin
// EXPECT: safe malloc@main:46[]
/* A histogram of a large array: each thread has a block of the input and its own counts; they are merged under a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define NTHREADS 4
#define N 100000
#define BINS 16

typedef struct {
    int id;
    size_t begin, end;
    long counts[BINS];
} block_t;

static unsigned char *data;
static long histogram[BINS];
static pthread_mutex_t histogram_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char maximum; /* racy */

static void *count_block(void *p)
{
    block_t *b = (block_t *)p;
    for (int i = 0; i < BINS; i++)
        b->counts[i] = 0;
    for (size_t i = b->begin; i < b->end; i++) {
        b->counts[data[i] % BINS]++;
        if (data[i] > maximum)
            maximum = data[i];
    }
    pthread_mutex_lock(&histogram_lock);
    for (int i = 0; i < BINS; i++)
        histogram[i] += b->counts[i];
    pthread_mutex_unlock(&histogram_lock);
    return b;
}

int main(void)
{
    pthread_t th[NTHREADS];
    block_t blocks[NTHREADS];
    data = malloc(N);
    if (!data)
        return 1;
    srand(7);
    for (size_t i = 0; i < N; i++)
        data[i] = (unsigned char)rand();
    for (int i = 0; i < NTHREADS; i++) {
        blocks[i].id = i;
        blocks[i].begin = (size_t)i * N / NTHREADS;
        blocks[i].end = (size_t)(i + 1) * N / NTHREADS;
        if (pthread_create(&th[i], NULL, count_block, &blocks[i])) {
            fprintf(stderr, "thread %d\n", i);
            exit(1);
        }
    }
    for (int i = 0; i < NTHREADS; i++) {
        void *r;
        pthread_join(th[i], &r);
        printf("block %d done\n", ((block_t *)r)->id);
    }
    for (int i = 0; i < BINS; i++)
        printf("%2d %ld\n", i, histogram[i]);
    printf("max %d\n", maximum);
    free(data);
    return 0;
}
