// EXPECT: race done
// Thirty-two workers count up under a lock what main polls without it: a run needs them all to be created, and one to get on.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WORKERS 32

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tasks = 64, done;
static long total;

static void *work(void *arg)
{
    int *amount = arg;
    pthread_mutex_lock(&lock);
    total += *amount;
    done++;
    pthread_mutex_unlock(&lock);
    free(amount);
    return NULL;
}

int main(void)
{
    pthread_t t[WORKERS];
    int i;
    for (i = 0; i < WORKERS; i++) {
        int *amount = malloc(sizeof *amount);
        if (amount == NULL) {
            perror("malloc");
            exit(1);
        }
        *amount = i;
        if (pthread_create(&t[i], NULL, work, amount) != 0)
            return 1;
    }
    while (tasks / 2 > done)
        usleep(10000);
    for (i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", total);
    return 0;
}
