// CIRC: --property asserts
// EXPECT: violated asserts
// szymanski.c with its mistake.
#define BROKEN
#include "szymanski.c"
