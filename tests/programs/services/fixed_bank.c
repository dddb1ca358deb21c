// EXPECT: safe refused
#define FIXED
#include "bank.c"
