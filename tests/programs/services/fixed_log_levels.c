// As log_levels.c, with the level under the mutex.
// EXPECT: safe min_level
// EXPECT: safe L.head
// EXPECT: safe L.tail
// EXPECT: safe L.lines[][]
// EXPECT: safe L.dropped
// EXPECT: safe L.closing
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

#define LOG_SLOTS 64
#define LOG_LINE 128

struct logger {
    pthread_mutex_t lock;
    pthread_cond_t nonempty;
    char lines[LOG_SLOTS][LOG_LINE];
    unsigned head, tail;
    int closing;
    unsigned long dropped;
    FILE *out;
};

static struct logger L;
static enum level min_level = LOG_INFO;
static const char *level_name[] = { "DEBUG", "INFO", "WARN", "ERROR" };

static void logger_init(FILE *out)
{
    memset(&L, 0, sizeof L);
    pthread_mutex_init(&L.lock, NULL);
    pthread_cond_init(&L.nonempty, NULL);
    L.out = out;
}

static void vlog_line(enum level lv, const char *fmt, va_list ap)
{
    char text[LOG_LINE];
    int n;

    pthread_mutex_lock(&L.lock);
    if (lv < min_level) {
        pthread_mutex_unlock(&L.lock);
        return;
    }
    pthread_mutex_unlock(&L.lock);
    n = snprintf(text, sizeof text, "[%s] ", level_name[lv]);
    vsnprintf(text + n, sizeof text - n, fmt, ap);
    pthread_mutex_lock(&L.lock);
    if (L.head - L.tail == LOG_SLOTS) {
        L.dropped++;
    } else {
        strcpy(L.lines[L.head % LOG_SLOTS], text);
        L.head++;
        pthread_cond_signal(&L.nonempty);
    }
    pthread_mutex_unlock(&L.lock);
}

static void log_line(enum level lv, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vlog_line(lv, fmt, ap);
    va_end(ap);
}

static void *flusher(void *unused)
{
    char text[LOG_LINE];
    (void)unused;
    pthread_mutex_lock(&L.lock);
    while (!L.closing || L.head != L.tail) {
        if (L.head == L.tail) {
            pthread_cond_wait(&L.nonempty, &L.lock);
            continue;
        }
        memcpy(text, L.lines[L.tail % LOG_SLOTS], LOG_LINE);
        L.tail++;
        pthread_mutex_unlock(&L.lock);
        fprintf(L.out, "%s\n", text);
        pthread_mutex_lock(&L.lock);
    }
    pthread_mutex_unlock(&L.lock);
    return NULL;
}

static void *service(void *arg)
{
    const char *name = arg;
    for (int i = 0; i < 50; i++) {
        log_line(LOG_INFO, "%s: request %d", name, i);
        if (i % 10 == 0)
            log_line(LOG_DEBUG, "%s: state %p at %ld", name, arg, (long)time(NULL));
        usleep(100);
    }
    return NULL;
}

int main(void)
{
    pthread_t fl, a, b;
    logger_init(stdout);
    pthread_create(&fl, NULL, flusher, NULL);
    pthread_create(&a, NULL, service, "alpha");
    pthread_create(&b, NULL, service, "beta");
    usleep(1000);
    pthread_mutex_lock(&L.lock);
    min_level = LOG_DEBUG;
    pthread_mutex_unlock(&L.lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_mutex_lock(&L.lock);
    L.closing = 1;
    pthread_cond_signal(&L.nonempty);
    pthread_mutex_unlock(&L.lock);
    pthread_join(fl, NULL);
    printf("%lu dropped\n", L.dropped);
    return 0;
}
