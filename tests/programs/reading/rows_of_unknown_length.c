// A pointer to an array of unknown or variable length need not point to the start of a row: what lies there is reached.
// EXPECT: race reached
// EXPECT: unknown by_row
#include <pthread.h>

int grid[4][4], other[4][4], reached, by_row;

static void set(int n, int (*rows)[n])
{
    rows[1][1] = 7;
}

void *worker(void *arg)
{
    int (*from)[] = (void *)&grid[0][3];
    (*from)[1] = 7;
    if (grid[1][0] == 7)
        reached++;
    set(3, (void *)other);
    if (other[1][0] == 7)
        by_row++;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    reached++;
    by_row++;
    pthread_join(t, 0);
    return 0;
}
