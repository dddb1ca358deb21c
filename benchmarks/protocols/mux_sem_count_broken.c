// CIRC: --property asserts
// EXPECT: violated asserts
// mux_sem_count.c with its mistake.
#define BROKEN
#include "mux_sem_count.c"
