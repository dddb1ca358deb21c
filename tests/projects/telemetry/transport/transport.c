#include <pthread.h>

#include "metrics.h"
#include "ring.h"
#include "transport.h"

unsigned long transport_sent;

static pthread_t worker;

static void *run(void *unused)
{
    int value;

    (void)unused;
    while (ring_get(&samples, &value)) {
        transport_sent++;
        metrics_add(0, value);
    }
    return NULL;
}

int transport_start(void)
{
    return pthread_create(&worker, NULL, run, NULL);
}

void transport_stop(void)
{
    pthread_join(worker, NULL);
}
