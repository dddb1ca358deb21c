// EXPECT: safe todo.head
#define FIXED
#include "jobs.c"
