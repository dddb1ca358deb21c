// CIRC: --property asserts
// EXPECT: violated asserts
// dekker.c with its mistake.
#define BROKEN
#include "dekker.c"
