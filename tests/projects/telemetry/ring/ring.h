#ifndef RING_H
#define RING_H

#include <pthread.h>

#define RING_SIZE 8

struct ring {
    pthread_mutex_t lock;
    int slots[RING_SIZE];
    unsigned head;
    unsigned tail;
};

extern struct ring samples;

int ring_put(struct ring *ring, int value);
int ring_get(struct ring *ring, int *value);

#endif
