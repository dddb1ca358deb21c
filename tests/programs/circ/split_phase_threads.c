// The split-phase pattern in plain threads: an atomic hand-over in both directions.
//
// EXPECT: safe sample
// EXPECT: safe phase
//
// phase 0: the producer may write; 1: the producer is at work; 2: the consumer may take; 3: the consumer is at work.
// Each side moves the phase on only after its last access to sample.
#include "circ.h"

int phase;
int sample;

circ_thread void producer(void)
{
    int go;

    while (1) {
        go = 0;
        atomic {
            if (phase == 0) {
                phase = 1;
                go = 1;
            }
        }
        if (!go) {
            continue;
        }
        sample = nondet();
        if (sample < 0) {
            sample = -sample;
        }
        atomic { phase = 2; }
    }
}

circ_thread void consumer(void)
{
    int go, sum = 0;

    while (1) {
        go = 0;
        atomic {
            if (phase == 2) {
                phase = 3;
                go = 1;
            }
        }
        if (go) {
            sum = sum + sample;
            atomic { phase = 0; }
        }
    }
}
