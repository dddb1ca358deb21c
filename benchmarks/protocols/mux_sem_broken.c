// CIRC: --property asserts
// EXPECT: violated asserts
// mux_sem.c with its mistake.
#define BROKEN
#include "mux_sem.c"
