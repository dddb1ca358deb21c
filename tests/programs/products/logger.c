// A logger with a flusher; the threshold and the statistics are touched without the lock.
// EXPECT: race log_.threshold
// EXPECT: race log_.dropped
// EXPECT: race log_.written
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum level { DEBUG, INFO, WARN, ERROR };

#define RING 256
#define LINE 120

struct record { enum level level; time_t when; char text[LINE]; };

static struct {
    struct record ring[RING];
    unsigned head, tail;
    pthread_mutex_t mu;
    pthread_cond_t more, space;
    int stop;
    enum level threshold;
    unsigned long dropped, written;
    FILE *out;
    pthread_t flusher;
} log_;

static const char *const names[] = { "debug", "info", "warn", "error" };

void log_set_level(enum level l)
{
    log_.threshold = l;
}

void log_printf(enum level l, const char *fmt, ...)
{
    va_list ap;
    struct record *r;
    if (l < log_.threshold)
        return;
    pthread_mutex_lock(&log_.mu);
    if (log_.head - log_.tail == RING) {
        log_.dropped++;
        pthread_mutex_unlock(&log_.mu);
        return;
    }
    r = &log_.ring[log_.head % RING];
    r->level = l;
    r->when = time(NULL);
    va_start(ap, fmt);
    vsnprintf(r->text, sizeof r->text, fmt, ap);
    va_end(ap);
    log_.head++;
    pthread_cond_signal(&log_.more);
    pthread_mutex_unlock(&log_.mu);
}

static void *flush_loop(void *unused)
{
    (void)unused;
    struct record copy;
    for (;;) {
        pthread_mutex_lock(&log_.mu);
        while (log_.head == log_.tail && !log_.stop)
            pthread_cond_wait(&log_.more, &log_.mu);
        if (log_.head == log_.tail) {
            pthread_mutex_unlock(&log_.mu);
            break;
        }
        memcpy(&copy, &log_.ring[log_.tail % RING], sizeof copy);
        log_.tail++;
        pthread_mutex_unlock(&log_.mu);
        fprintf(log_.out, "%ld %s: %s\n", (long)copy.when, names[copy.level], copy.text);
        log_.written++;
    }
    fflush(log_.out);
    return NULL;
}

int log_start(const char *path)
{
    log_.out = path ? fopen(path, "a") : stderr;
    if (!log_.out)
        return -1;
    log_.threshold = INFO;
    pthread_mutex_init(&log_.mu, NULL);
    pthread_cond_init(&log_.more, NULL);
    return pthread_create(&log_.flusher, NULL, flush_loop, NULL);
}

void log_stop(void)
{
    pthread_mutex_lock(&log_.mu);
    log_.stop = 1;
    pthread_cond_signal(&log_.more);
    pthread_mutex_unlock(&log_.mu);
    pthread_join(log_.flusher, NULL);
}

void log_stats(void)
{
    printf("%lu written, %lu dropped\n", log_.written, log_.dropped);
}

static void *producer(void *arg)
{
    int id = (int)(long)arg;
    for (int i = 0; i < 1000; i++) {
        log_printf(i % 4, "producer %d message %d", id, i);
        if (i == 500)
            log_set_level(WARN);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t p[3];
    if (log_start(argc > 1 ? argv[1] : NULL) != 0)
        return 1;
    for (long i = 0; i < 3; i++)
        pthread_create(&p[i], NULL, producer, (void *)i);
    log_stats();
    for (int i = 0; i < 3; i++)
        pthread_join(p[i], NULL);
    log_stop();
    log_stats();
    return 0;
}
