// Work sharing: each worker fetches the next index and fills that cell.
//
// EXPECT: race results[]
// EXPECT: safe next_index
//
// The fetch is split into a read and an increment, each atomic.
#include "circ.h"

#define N 6

int next_index;
int results[N];

static int fetch(void)
{
    int i;

    atomic { i = next_index; }
    if (i < N)
        atomic { next_index = i + 1; }
    return i;
}

circ_thread void worker(void)
{
    int i;

    while ((i = fetch()) < N) {
        results[i] = i * i;
    }
}
