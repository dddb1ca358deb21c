// CIRC: --property asserts
// EXPECT: violated asserts
// bakery.c with its mistake.
#define BROKEN
#include "bakery.c"
