// A lock that is handed from one kind of thread to another without being free in between.
//
// EXPECT: safe page
// EXPECT: safe baton
//
// baton: 0 free, 1 with a filler, 2 on its way, 3 with a flusher.
// page is written by the filler at 1 and by the flusher at 3.
#include "circ.h"

int baton;
int page;

circ_thread void filler(void)
{
    int mine;

    while (1) {
        mine = 0;
        atomic {
            if (baton == 0) {
                baton = 1;
                mine = 1;
            }
        }
        if (mine) {
            page = nondet();
            atomic {
                if (baton == 1) {
                    baton = 2;
                }
            }
        }
    }
}

circ_thread void flusher(void)
{
    int mine;

    while (1) {
        mine = 0;
        atomic {
            if (baton == 2) {
                baton = 3;
                mine = 1;
            }
        }
        if (mine) {
            page = 0;
            atomic { baton = 0; }
        }
    }
}
