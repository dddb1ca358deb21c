/* assert.h: no guard, NDEBUG may change between two inclusions. */
#undef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
void assert(_Bool condition);
#endif
#ifndef static_assert
#define static_assert _Static_assert
#endif
