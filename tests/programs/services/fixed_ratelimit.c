// EXPECT: safe allowed
// EXPECT: safe denied
#define FIXED
#include "ratelimit.c"
