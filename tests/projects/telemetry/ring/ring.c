#include "ring.h"

struct ring samples = { .lock = PTHREAD_MUTEX_INITIALIZER };

int ring_put(struct ring *ring, int value)
{
    int done = 0;

    pthread_mutex_lock(&ring->lock);
    if (ring->head - ring->tail < RING_SIZE) {
        ring->slots[ring->head % RING_SIZE] = value;
        ring->head++;
        done = 1;
    }
    pthread_mutex_unlock(&ring->lock);
    return done;
}

int ring_get(struct ring *ring, int *value)
{
    int done = 0;

    pthread_mutex_lock(&ring->lock);
    if (ring->tail != ring->head) {
        *value = ring->slots[ring->tail % RING_SIZE];
        ring->tail++;
        done = 1;
    }
    pthread_mutex_unlock(&ring->lock);
    return done;
}
