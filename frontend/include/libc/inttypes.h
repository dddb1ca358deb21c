/* inttypes.h */
#ifndef _CIRC_INTTYPES_H
#define _CIRC_INTTYPES_H

#include <stdint.h>
#define PRId8 "d"
#define PRIi8 "i"
#define PRIu8 "u"
#define PRIx8 "x"
#define PRIX8 "X"
#define PRIo8 "o"
#define PRId16 "d"
#define PRIi16 "i"
#define PRIu16 "u"
#define PRIx16 "x"
#define PRIX16 "X"
#define PRIo16 "o"
#if __SIZEOF_INT__ >= 4
#define PRId32 "d"
#define PRIi32 "i"
#define PRIu32 "u"
#define PRIx32 "x"
#define PRIX32 "X"
#define PRIo32 "o"
#else
#define PRId32 "ld"
#define PRIi32 "li"
#define PRIu32 "lu"
#define PRIx32 "lx"
#define PRIX32 "lX"
#define PRIo32 "lo"
#endif
#if __SIZEOF_LONG__ >= 8
#define __CIRC_PRI64 "l"
#else
#define __CIRC_PRI64 "ll"
#endif
#define PRId64 __CIRC_PRI64 "d"
#define PRIi64 __CIRC_PRI64 "i"
#define PRIu64 __CIRC_PRI64 "u"
#define PRIx64 __CIRC_PRI64 "x"
#define PRIX64 __CIRC_PRI64 "X"
#define PRIo64 __CIRC_PRI64 "o"
#define PRIdMAX PRId64
#define PRIuMAX PRIu64
#define PRIxMAX PRIx64
#define PRIdPTR "ld"
#define PRIuPTR "lu"
#define PRIxPTR "lx"
#define SCNd32 PRId32
#define SCNu32 PRIu32
#define SCNx32 PRIx32
#define SCNd64 PRId64
#define SCNu64 PRIu64
#define SCNx64 PRIx64
intmax_t strtoimax(const char *text, char **end, int base);
uintmax_t strtoumax(const char *text, char **end, int base);

#endif
