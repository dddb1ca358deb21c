// Two threads copy an image, one the upper rows and the other one the lower ones; what to copy is told in structs.
// EXPECT: safe malloc@main:22#2[]
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct image { int width, height; unsigned char *pixels; };
struct task { struct image *from, *to; int first, end; };

static void *copy(void *arg)
{
    struct task *t = arg;

    for (int y = t->first; y < t->end; y++)
        for (int x = 0; x < t->from->width; x++)
            t->to->pixels[y * t->from->width + x] = t->from->pixels[y * t->from->width + x];
    return 0;
}

int main(void)
{
    struct image a = { 16, 16, malloc(256) }, b = { 16, 16, malloc(256) };
    pthread_t upper, lower;

    if (!a.pixels || !b.pixels) return 1;
    memset(a.pixels, 7, 256);
    struct task tasks[2] = { { &a, &b, 0, 8 }, { &a, &b, 8, 16 } };
    pthread_create(&upper, 0, copy, &tasks[0]);
    pthread_create(&lower, 0, copy, &tasks[1]);
    pthread_join(upper, 0);
    pthread_join(lower, 0);
    return b.pixels[9];
}
