// EXPECT: safe calloc@pool_create:34.head
// EXPECT: safe calloc@pool_create:34.done
// EXPECT: safe malloc@pool_submit:46.arg
// EXPECT: safe sum
#define FIXED
#include "heap_pool.c"
