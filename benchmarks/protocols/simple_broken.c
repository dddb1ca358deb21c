// CIRC: --property asserts
// EXPECT: violated asserts
// simple.c with its mistake.
#define BROKEN
#include "simple.c"
