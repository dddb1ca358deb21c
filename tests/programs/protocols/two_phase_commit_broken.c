// Two-phase commit: two participants vote, the coordinator decides, then the participants read the decision.
//
// EXPECT: race decision
// EXPECT: race vote[]
// EXPECT: safe voted
// EXPECT: safe decided
//
// The coordinator starts when the first vote is in, and announces the decision before it is complete.
#include "circ.h"

int vote[2];
int voted, decided;
int decision;

circ_threads(2) void participant(int self)
{
    int d = 0;

    vote[self] = nondet() > 0;
    atomic { voted = voted + 1; }
    while (!d) {
        atomic { d = decided; }
    }
    d = decision;
    if (d)
        d = 2;
}

circ_threads(1) void coordinator(void)
{
    int n = 0;

    while (n == 0) {
        atomic { n = voted; }
    }
    atomic { decided = 1; }
    decision = vote[0] && vote[1];
}
