// CIRC: --property asserts
// EXPECT: violated asserts
// sections.c with its mistake.
#define BROKEN
#include "sections.c"
