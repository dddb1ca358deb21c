// CIRC: --property asserts
// EXPECT: safe asserts
// The bakery: a thread takes a ticket above all others and waits until it holds the lowest. Taking one and looking at all
// is one step each; there are N tickets, and a thread that finds none left comes back later.
#include "circ.h"
#ifndef N
#define N 3
#endif

unsigned char number[N];
circ_range(number, 0, N);

#ifdef BROKEN
#define BEFORE(j) (number[j] == 0 || number[self] <= number[j])
#else
#define BEFORE(j) (number[j] == 0 || number[self] < number[j] || (number[self] == number[j] && self <= j))
#endif
#define ROOM(j) (number[j] < N)
#define ABOVE(j) if (number[j] >= ticket) ticket = number[j] + 1;
#if N == 2
#define ALL(f) (f(0) && f(1))
#define EACH(f) f(0) f(1)
#elif N == 3
#define ALL(f) (f(0) && f(1) && f(2))
#define EACH(f) f(0) f(1) f(2)
#elif N == 4
#define ALL(f) (f(0) && f(1) && f(2) && f(3))
#define EACH(f) f(0) f(1) f(2) f(3)
#elif N == 8
#define ALL(f) (f(0) && f(1) && f(2) && f(3) && f(4) && f(5) && f(6) && f(7))
#define EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#endif

circ_threads(N) void process(int self)
{
    for (;;) {
#ifdef BROKEN
        unsigned char ticket = 1;
        atomic { EACH(ABOVE) }
        assume(ticket <= N);
        number[self] = ticket;
#else
        atomic {
            assume(ALL(ROOM));
            unsigned char ticket = 1;
            EACH(ABOVE)
            number[self] = ticket;
        }
#endif
        atomic { assume(ALL(BEFORE)); }
        circ_critical { }
        number[self] = 0;
    }
}
