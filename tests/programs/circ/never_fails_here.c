// An unprotected access that would happen only if a call failed, and here it cannot fail.
//
// EXPECT: safe journal
// EXPECT: safe token
//
// release_token returns FAIL only if the token was free; the caller holds it, so the write to journal in the error branch
// is never reached, and the other writes happen while the token is held.
#include "circ.h"

#define SUCCESS 1
#define FAIL 0

int token;
int journal;

static int take_token(void)
{
    int r = FAIL;

    atomic {
        if (token == 0) {
            token = 1;
            r = SUCCESS;
        }
    }
    return r;
}

static int release_token(void)
{
    int r = FAIL;

    atomic {
        if (token == 1) {
            token = 0;
            r = SUCCESS;
        }
    }
    return r;
}

circ_thread void worker(void)
{
    while (1) {
        if (take_token()) {
            journal = journal + 1;
            if (release_token() == FAIL) {
                journal = -1;
            }
        }
    }
}
