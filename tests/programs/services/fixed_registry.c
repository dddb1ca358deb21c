// EXPECT: safe registry[]
// EXPECT: safe writes
#define FIXED
#include "registry.c"
