// Work sharing: each worker fetches the next index and fills that cell.
//
// EXPECT: safe results[]
// EXPECT: safe next_index
//
// Fetching is atomic and stops at the end, so no index is handed out twice.
#include "circ.h"

#define N 6

int next_index;
int results[N];

static int fetch(void)
{
    int i;

    atomic {
        i = next_index;
        if (i < N)
            next_index = i + 1;
    }
    return i;
}

circ_thread void worker(void)
{
    int i;

    while ((i = fetch()) < N) {
        results[i] = i * i;
    }
}
