// Two-phase commit: two participants vote, the coordinator decides, then the participants read the decision.
//
// EXPECT: safe decision
// EXPECT: safe vote[]
// EXPECT: safe voted
// EXPECT: safe decided
//
// Each participant writes its own vote before it is counted; the coordinator reads the votes when both are in, and
// writes the decision before it announces it.
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

    while (n != 2) {
        atomic { n = voted; }
    }
    decision = vote[0] && vote[1];
    atomic { decided = 1; }
}
