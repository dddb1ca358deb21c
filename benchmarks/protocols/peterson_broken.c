// CIRC: --property asserts
// EXPECT: violated asserts
// peterson.c with its mistake.
#define BROKEN
#include "peterson.c"
