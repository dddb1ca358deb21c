// EXPECT: race threshold
// EXPECT: safe ring[][]
// EXPECT: safe head
// EXPECT: safe tail
// EXPECT: safe closing
// EXPECT: safe dropped
// EXPECT: safe sink
/* A logger: callers format into a ring of lines, a flusher thread writes them out. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_LEN 128
#define RING 32

enum level { LOG_DEBUG, LOG_INFO, LOG_ERROR };

static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t log_cond = PTHREAD_COND_INITIALIZER;
static char ring[RING][LINE_MAX_LEN];
static unsigned head, tail;
static int closing;
static unsigned dropped;
static FILE *sink;

static enum level threshold = LOG_INFO; /* racy: changed by set_level while loggers read it */

void set_level(enum level l)
{
    threshold = l;
}

void log_line(enum level l, const char *fmt, ...)
{
    va_list ap;
    if (l < threshold)
        return;
    pthread_mutex_lock(&log_mutex);
    if (head - tail == RING) {
        dropped++;
    } else {
        va_start(ap, fmt);
        vsnprintf(ring[head % RING], LINE_MAX_LEN, fmt, ap);
        va_end(ap);
        head++;
        pthread_cond_signal(&log_cond);
    }
    pthread_mutex_unlock(&log_mutex);
}

static void *flusher(void *unused)
{
    char line[LINE_MAX_LEN];
    (void)unused;
    pthread_mutex_lock(&log_mutex);
    while (1) {
        while (head == tail && !closing)
            pthread_cond_wait(&log_cond, &log_mutex);
        if (head == tail)
            break;
        strcpy(line, ring[tail % RING]);
        tail++;
        pthread_mutex_unlock(&log_mutex);
        fputs(line, sink);
        fputc('\n', sink);
        fflush(sink);
        pthread_mutex_lock(&log_mutex);
    }
    pthread_mutex_unlock(&log_mutex);
    return NULL;
}

static void *service(void *name)
{
    int i;
    for (i = 0; i < 50; i++) {
        log_line(LOG_INFO, "%s: request %d", (const char *)name, i);
        if (i % 10 == 9)
            log_line(LOG_DEBUG, "%s: ten more", (const char *)name);
    }
    return NULL;
}

int main(int argc, char *argv[])
{
    pthread_t f, a, b;
    int c;

    sink = stderr;
    while ((c = getopt(argc, argv, "o:v")) != -1) {
        switch (c) {
        case 'o':
            sink = fopen(optarg, "w");
            if (!sink) {
                perror(optarg);
                return EXIT_FAILURE;
            }
            break;
        case 'v':
            set_level(LOG_DEBUG);
            break;
        default:
            fprintf(stderr, "usage: %s [-o file] [-v]\n", argv[0]);
            return EXIT_FAILURE;
        }
    }
    pthread_create(&f, NULL, flusher, NULL);
    pthread_create(&a, NULL, service, "front");
    pthread_create(&b, NULL, service, "back");
    sleep(1);
    set_level(LOG_ERROR);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_mutex_lock(&log_mutex);
    closing = 1;
    pthread_cond_signal(&log_cond);
    pthread_mutex_unlock(&log_mutex);
    pthread_join(f, NULL);
    if (dropped)
        fprintf(stderr, "%u lines dropped\n", dropped);
    return EXIT_SUCCESS;
}
