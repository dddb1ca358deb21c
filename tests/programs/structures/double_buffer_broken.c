// Double buffering: the writer fills the back buffer, the reader draws the front one, a swap exchanges them.
//
// EXPECT: race frame[]
// EXPECT: safe front
// EXPECT: safe fresh
//
// front and fresh change inside atomic only.
// The writer swaps by itself when it is done, while the reader still draws the old front buffer, and then fills that.
#include "circ.h"

int front;
int fresh;
int frame[2];

circ_threads(1) void renderer(void)
{
    int back, go;

    while (1) {
        atomic {
            go = !fresh;
            back = 1 - front;
        }
        if (!go)
            continue;
        frame[back] = frame[back] + 1;
        atomic {
            fresh = 1;
            front = back;
            fresh = 0;
        }
    }
}

circ_threads(1) void display(void)
{
    int shown, pixel = 0;

    while (1) {
        atomic {
            shown = front;
        }
        pixel = pixel + frame[shown];
    }
}
