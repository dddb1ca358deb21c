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

#if N == 2
#define EACH(f) f(0) f(1)
#elif N == 3
#define EACH(f) f(0) f(1) f(2)
#elif N == 4
#define EACH(f) f(0) f(1) f(2) f(3)
#elif N == 8
#define EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#endif
#define ABOVE(j) other = number[j]; ticket = other >= ticket ? other + 1 : ticket;
#ifdef BROKEN
#define BEFORE(j) other = number[j]; first = first && (other == 0 || mine <= other);
#else
#define BEFORE(j) other = number[j]; first = first && (other == 0 || mine < other || (mine == other && self <= j));
#endif

circ_threads(N) void process(int self)
{
    for (;;) {
        unsigned char ticket = 1, other, mine;
        _Bool first = 1;
#ifdef BROKEN
        atomic { EACH(ABOVE) }
        assume(ticket <= N);
        number[self] = ticket;
#else
        atomic { EACH(ABOVE) assume(ticket <= N); number[self] = ticket; }
#endif
        atomic { mine = number[self]; EACH(BEFORE) assume(first); }
        circ_critical { }
        number[self] = 0;
    }
}
