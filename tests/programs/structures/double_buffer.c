// Double buffering: the writer fills the back buffer, the reader draws the front one, a swap exchanges them.
//
// EXPECT: safe frame[]
// EXPECT: safe front
// EXPECT: safe fresh
//
// front and fresh change inside atomic only.
// The writer uses frame[1 - front] while fresh is 0; the swap happens when the reader asks for it between two frames
// and the writer is done.
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
        }
    }
}

circ_threads(1) void display(void)
{
    int shown, pixel = 0;

    while (1) {
        atomic {
            if (fresh) {
                front = 1 - front;
                fresh = 0;
            }
            shown = front;
        }
        pixel = pixel + frame[shown];
    }
}
