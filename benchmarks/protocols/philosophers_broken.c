// CIRC: --property asserts
// EXPECT: violated asserts
// philosophers.c with its mistake.
#define BROKEN
#include "philosophers.c"
