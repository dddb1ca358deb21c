// EXPECT: race malloc@object_add:45.dirty
/* Reference-counted objects in a registry: whoever drops the last reference frees the object. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object {
    int refs;
    char name[20];
    unsigned char *data;
    size_t size;
    int dirty;
};

static pthread_mutex_t reg_lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *registry[4];
static int writes;

static struct object *object_get(int slot)
{
    struct object *o;
    pthread_mutex_lock(&reg_lock);
    o = registry[slot];
    if (o)
        o->refs++;
    pthread_mutex_unlock(&reg_lock);
    return o;
}

static void object_put(struct object *o)
{
    int last;
    pthread_mutex_lock(&reg_lock);
    last = --o->refs == 0;
    pthread_mutex_unlock(&reg_lock);
    if (last) {
        free(o->data);
        free(o);
    }
}

static int object_add(int slot, const char *name, size_t size)
{
    struct object *o = malloc(sizeof *o), *old;
    if (!o)
        return -1;
    memset(o, 0, sizeof *o);
    o->refs = 1;
    snprintf(o->name, sizeof o->name, "%s", name);
    o->data = malloc(size);
    o->size = size;
    pthread_mutex_lock(&reg_lock);
    old = registry[slot];
    registry[slot] = o;
    pthread_mutex_unlock(&reg_lock);
    if (old)
        object_put(old);
    return 0;
}

static void *user(void *arg)
{
    int slot = *(int *)arg;
    for (int i = 0; i < 10; i++) {
        struct object *o = object_get((slot + i) % 4);
        if (!o)
            continue;
#ifndef FIXED
        o->dirty = 1;
#else
        pthread_mutex_lock(&reg_lock);
        o->dirty = 1;
        writes++;
        pthread_mutex_unlock(&reg_lock);
#endif
        object_put(o);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int first[2] = { 0, 2 };
    for (int i = 0; i < 4; i++)
        object_add(i, "object", 16);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, user, &first[i]);
    object_add(1, "replacement", 32);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 4; i++)
        object_put(registry[i]);
    printf("%d writes\n", writes);
    return 0;
}
