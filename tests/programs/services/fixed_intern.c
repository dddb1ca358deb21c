// EXPECT: safe pool.n
#define FIXED
#include "intern.c"
