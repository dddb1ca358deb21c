// CIRC: --property asserts
// EXPECT: violated asserts
// mux_sem_last.c with its mistake.
#define BROKEN
#include "mux_sem_last.c"
