// EXPECT: race active
// EXPECT: safe fds[]
// EXPECT: safe verbose
/* Requests go through a pipe as pointers; results come back in a list. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct result {
    unsigned long checksum;
    int worker;
    struct result *next;
};

static int fds[2];
static struct result *results;
static unsigned nresults;
static pthread_mutex_t results_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t interrupted;
static int verbose;
static int active; /* racy: incremented and decremented without a lock */

static void on_sigint(int sig)
{
    (void)sig;
    interrupted = 1;
}

static int read_full(int fd, void *buf, size_t n)
{
    char *p = buf;
    while (n > 0) {
        ssize_t got = read(fd, p, n);
        if (got == 0)
            return 0;
        if (got < 0) {
            if (errno == EINTR)
                continue;
            return -1;
        }
        p += got;
        n -= (size_t)got;
    }
    return 1;
}

static void report(unsigned long sum, int worker)
{
    struct result *r = malloc(sizeof *r);
    if (r == NULL) {
        fprintf(stderr, "worker %d: %s\n", worker, strerror(ENOMEM));
        return;
    }
    r->checksum = sum;
    r->worker = worker;
    pthread_mutex_lock(&results_lock);
    r->next = results;
    results = r;
    nresults++;
    pthread_mutex_unlock(&results_lock);
}

static void *worker(void *arg)
{
    int id = *(int *)arg;
    unsigned req;
    free(arg);
    while (read_full(fds[0], &req, sizeof req) == 1) {
        unsigned long sum = 0;
        active++;
        for (unsigned i = 0; i < req % 1000; i++)
            sum = sum * 31 + i;
        report(sum, id);
        active--;
        if (verbose)
            fprintf(stderr, "worker %d: request %u\n", id, req);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int opt, nworkers = 2;
    pthread_t *threads;
    while ((opt = getopt(argc, argv, "n:v")) != -1) {
        if (opt == 'n')
            nworkers = atoi(optarg);
        else if (opt == 'v')
            verbose++;
        else
            return 2;
    }
    signal(SIGINT, on_sigint);
    if (pipe(fds) != 0) {
        perror("pipe");
        return 1;
    }
    threads = calloc((size_t)nworkers, sizeof *threads);
    if (!threads)
        return 1;
    for (int i = 0; i < nworkers; i++) {
        int *id = malloc(sizeof *id);
        if (!id)
            return 1;
        *id = i;
        if (pthread_create(&threads[i], NULL, worker, id) != 0) {
            free(id);
            nworkers = i;
            break;
        }
    }
    for (unsigned i = 0; i < 1000 && !interrupted; i++)
        if (write(fds[1], &i, sizeof i) != (ssize_t)sizeof i)
            break;
    close(fds[1]);
    for (int i = 0; i < nworkers; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    printf("%u results\n", nresults);
    while (results) {
        struct result *r = results;
        results = r->next;
        printf("%d %lu\n", r->worker, r->checksum);
        free(r);
    }
    return 0;
}
