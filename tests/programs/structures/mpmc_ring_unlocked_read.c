// A ring buffer for any number of producers and consumers under one lock.
//
// EXPECT: safe ring[]
// EXPECT: safe head
// EXPECT: race count
// EXPECT: safe lock
//
// Every access to ring and head is made by the thread that moved lock from 0 to 1.
// is_empty reads count without the lock while a producer writes it.
#include "circ.h"

#define SIZE 8

struct item { int key; int weight; };

int lock;
unsigned char head, count;
int ring[SIZE];

static void acquire(void)
{
    int got = 0;

    while (!got) {
        atomic {
            if (!lock) {
                lock = 1;
                got = 1;
            }
        }
    }
}

static void release(void)
{
    atomic { lock = 0; }
}

static int is_empty(void)
{
    int e;

    e = count == 0;
    return e;
}

circ_thread void producer(void)
{
    int v;

    while (1) {
        v = nondet();
        acquire();
        if (count < SIZE) {
            ring[(head + count) % SIZE] = v;
            count++;
        }
        release();
    }
}

circ_thread void consumer(void)
{
    int v = 0;

    while (1) {
        if (is_empty())
            continue;
        acquire();
        if (count > 0) {
            v = ring[head];
            head = (head + 1) % SIZE;
            count--;
        }
        release();
        if (v == -1)
            break;
    }
}
