// A broadcast down a chain: each station copies from its predecessor when that one is done.
//
// EXPECT: safe root
// EXPECT: safe left
// EXPECT: safe right
// EXPECT: safe done
//
// done counts the finished stations and is accessed in atomic; a station starts when done has its number.
#include "circ.h"

int done;
int root, left, right;

static void wait_for(int n)
{
    int now;

    do {
        atomic { now = done; }
    } while (now < n);
}

static void finish(int n)
{
    atomic { done = n; }
}

circ_threads(1) void first(void)
{
    root = nondet();
    finish(1);
}

circ_threads(1) void second(void)
{
    wait_for(1);
    left = root + 1;
    finish(2);
}

circ_threads(1) void third(void)
{
    wait_for(2);
    right = root + left;
    if (right < 0)
        right = 0;
    finish(3);
}
