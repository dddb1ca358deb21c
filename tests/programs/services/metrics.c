// EXPECT: race last_report
// EXPECT: safe metrics[].name[]
// EXPECT: safe metrics[].value
// EXPECT: safe metric_count
// EXPECT: safe slots[].local_ops
// EXPECT: safe running
/* Metrics: named counters registered once, per-thread slots summed up by a reporter. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_METRICS 32
#define NAME_LEN 24
#define WORKERS 4

struct metric {
    char name[NAME_LEN];
    long value;
};

static pthread_mutex_t metrics_mu = PTHREAD_MUTEX_INITIALIZER;
static struct metric metrics[MAX_METRICS];
static int metric_count;

static struct {
    long local_ops;
    long local_bytes;
} slots[WORKERS];

static long last_report; /* racy: the reporter writes it, main reads it */

static pthread_mutex_t run_mu = PTHREAD_MUTEX_INITIALIZER;
static int running = 1;

static int is_running(void)
{
    int r;
    pthread_mutex_lock(&run_mu);
    r = running;
    pthread_mutex_unlock(&run_mu);
    return r;
}

static int metric_id(const char *name)
{
    int i;
    for (i = 0; i < metric_count; i++)
        if (!strcmp(metrics[i].name, name))
            return i;
    if (metric_count == MAX_METRICS)
        return -1;
    strncpy(metrics[metric_count].name, name, NAME_LEN - 1);
    return metric_count++;
}

static void metric_add(const char *name, long amount)
{
    int id;
    pthread_mutex_lock(&metrics_mu);
    id = metric_id(name);
    if (id >= 0)
        metrics[id].value += amount;
    pthread_mutex_unlock(&metrics_mu);
}

static void *worker(void *arg)
{
    long me = (long)arg;
    int i;
    for (i = 0; i < 1000; i++) {
        slots[me].local_ops++;
        slots[me].local_bytes += i & 0xff;
        if (i % 100 == 0)
            metric_add("batches", 1);
    }
    metric_add("operations", slots[me].local_ops);
    metric_add("bytes", slots[me].local_bytes);
    return NULL;
}

static void *reporter(void *arg)
{
    (void)arg;
    while (is_running()) {
        long sum = 0;
        pthread_mutex_lock(&metrics_mu);
        for (int i = 0; i < metric_count; i++) {
            printf("%-20s %ld\n", metrics[i].name, metrics[i].value);
            sum += metrics[i].value;
        }
        pthread_mutex_unlock(&metrics_mu);
        last_report = sum;
        usleep(2000);
    }
    return NULL;
}

int main(void)
{
    pthread_t w[WORKERS], rep;
    memset(metrics, 0, sizeof metrics);
    pthread_create(&rep, NULL, reporter, NULL);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&w[i], NULL, worker, (void *)i);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(w[i], NULL);
    printf("last report: %ld\n", last_report);
    pthread_mutex_lock(&run_mu);
    running = 0;
    pthread_mutex_unlock(&run_mu);
    pthread_join(rep, NULL);
    return 0;
}
