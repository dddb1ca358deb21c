// CIRC: --property asserts
// EXPECT: safe asserts
// Szymanski's algorithm: a waiting room with two doors. flag: 0 outside, 1 wants in, 2 waits for others, 3 in the doorway,
// 4 the door is shut behind. The tests of all flags are one step each.
#include "circ.h"
#ifndef N
#define N 2
#endif

unsigned char flag[N];
circ_range(flag, 0, 4);

#define OPEN(j) (flag[j] < 3)
#define WANTS(j) (j != self && flag[j] == 1)
#define SHUT(j) (flag[j] == 4)
#define LOWER_OUT(j) (j >= self || flag[j] < 2)
#define HIGHER_DONE(j) (j <= self || flag[j] < 2 || flag[j] > 3)
#if N == 2
#define ALL(f) (f(0) && f(1))
#define SOME(f) (f(0) || f(1))
#elif N == 3
#define ALL(f) (f(0) && f(1) && f(2))
#define SOME(f) (f(0) || f(1) || f(2))
#endif

circ_threads(N) void process(int self)
{
    for (;;) {
        flag[self] = 1;
        atomic { assume(ALL(OPEN)); }
        flag[self] = 3;
        _Bool somebody;
        atomic { somebody = SOME(WANTS); }
        if (somebody) {
            flag[self] = 2;
            atomic { assume(SOME(SHUT)); }
        }
        flag[self] = 4;
#ifndef BROKEN
        atomic { assume(ALL(LOWER_OUT)); }
#endif
        circ_critical { }
        atomic { assume(ALL(HIGHER_DONE)); }
        flag[self] = 0;
    }
}
