// EXPECT: safe stop
// EXPECT: safe reaped
#define FIXED
#include "sessions.c"
