// EXPECT: safe clock_now
// EXPECT: safe ntimers
#define FIXED
#include "timers.c"
