// CIRC: --property asserts
// EXPECT: violated asserts
// time_varying.c with its mistake.
#define BROKEN
#include "time_varying.c"
