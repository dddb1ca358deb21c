// CIRC: --property asserts
// EXPECT: violated asserts
// reader_writer.c with its mistake.
#define BROKEN
#include "reader_writer.c"
