// CIRC: --property all
// EXPECT: safe data
// EXPECT: safe asserts
// A reader-writer lock: a count of readers and a writer's bit. Readers share, a writer is alone.
#include "circ.h"
#ifndef READERS
#define READERS 3
#endif
#ifndef WRITERS
#define WRITERS 2
#endif

unsigned char readers;
_Bool writer;
_Bool data;
circ_range(readers, 0, READERS);

circ_threads(READERS) void reader(void)
{
    for (;;) {
#ifdef BROKEN
        atomic { readers = readers + 1; }
#else
        atomic { assume(!writer); readers = readers + 1; }
#endif
        assert(!data);
        atomic { readers = readers - 1; }
    }
}

circ_threads(WRITERS) void write(void)
{
    for (;;) {
        atomic { assume(!writer && readers == 0); writer = 1; }
        data = 1;
        data = 0;
        writer = 0;
    }
}
