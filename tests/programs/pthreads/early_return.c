// An update with several ways out of the critical section.
//
// EXPECT: safe table[]
// EXPECT: safe used
//
// Every return comes after the unlock.
#include <pthread.h>

#define MAX 8

static int table[MAX], used;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int add(int key)
{
    int i;

    pthread_mutex_lock(&m);
    for (i = 0; i < used && i < MAX; i++) {
        if (table[i] == key) {
            pthread_mutex_unlock(&m);
            return 0;
        }
    }
    if (used >= MAX) {
        pthread_mutex_unlock(&m);
        return -1;
    }
    table[used++] = key;
    pthread_mutex_unlock(&m);
    return 1;
}

static void *filler(void *arg)
{
    int from = *(int *)arg, i;

    for (i = 0; i < 6; i++)
        add(from + i);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    int first = 1, second = 4;

    pthread_create(&a, 0, filler, &first);
    pthread_create(&b, 0, filler, &second);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return used;
}
