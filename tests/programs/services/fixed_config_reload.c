// EXPECT: safe config
#define FIXED
#include "config_reload.c"
