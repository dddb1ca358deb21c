// EXPECT: race last_port
/* A configuration behind a read-write lock; a signal-like flag makes the loader read it anew. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Config {
    char host[32];
    int port, workers;
    char *motd;
    unsigned generation;
} Config;

static pthread_rwlock_t config_lock = PTHREAD_RWLOCK_INITIALIZER;
static Config *config;
static atomic_bool running = 1;
static int last_port;

static Config *config_read(unsigned generation)
{
    Config *c = calloc(1, sizeof(Config));
    if (!c)
        return NULL;
    snprintf(c->host, sizeof c->host, "node%u", generation % 3);
    c->port = 8000 + (int)generation;
    c->workers = 4;
    c->motd = strdup("welcome");
    c->generation = generation;
    return c;
}

static void config_free(Config *c)
{
    if (c) {
        free(c->motd);
        free(c);
    }
}

static void *loader(void *p)
{
    (void)p;
    for (unsigned g = 2; g < 6; g++) {
        Config *fresh = config_read(g), *old;
        if (!fresh)
            continue;
        pthread_rwlock_wrlock(&config_lock);
        old = config;
        config = fresh;
        pthread_rwlock_unlock(&config_lock);
        config_free(old);
    }
    atomic_store(&running, 0);
    return NULL;
}

static void *client(void *p)
{
    int id = *(int *)p;
    while (atomic_load(&running)) {
        char host[32];
        int port;
        pthread_rwlock_rdlock(&config_lock);
        strcpy(host, config->host);
        port = config->port;
#ifndef FIXED
        last_port = port;
#endif
        pthread_rwlock_unlock(&config_lock);
        if (strcmp(host, "node1") == 0)
            printf("%d: %s:%d\n", id, host, port);
    }
    return NULL;
}

int main(void)
{
    pthread_t l, c[2];
    int ids[2] = { 1, 2 };
    config = config_read(1);
    if (!config)
        return 1;
    pthread_create(&c[0], NULL, client, &ids[0]);
    pthread_create(&c[1], NULL, client, &ids[1]);
    pthread_create(&l, NULL, loader, NULL);
    pthread_join(l, NULL);
    pthread_join(c[0], NULL);
    pthread_join(c[1], NULL);
    printf("%d\n", last_port);
    config_free(config);
    return 0;
}
