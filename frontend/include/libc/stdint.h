/* stdint.h, from what the data model says */
#ifndef _CIRC_STDINT_H
#define _CIRC_STDINT_H

typedef __INT8_TYPE__ int8_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __INT16_TYPE__ int16_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __INT32_TYPE__ int32_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INT8_TYPE__ int_least8_t;
typedef __UINT8_TYPE__ uint_least8_t;
typedef __INT16_TYPE__ int_least16_t;
typedef __UINT16_TYPE__ uint_least16_t;
typedef __INT32_TYPE__ int_least32_t;
typedef __UINT32_TYPE__ uint_least32_t;
typedef __INT64_TYPE__ int_least64_t;
typedef __UINT64_TYPE__ uint_least64_t;
typedef __INT8_TYPE__ int_fast8_t;
typedef __UINT8_TYPE__ uint_fast8_t;
#if __SIZEOF_POINTER__ == 8
typedef __INT64_TYPE__ int_fast16_t;
typedef __UINT64_TYPE__ uint_fast16_t;
#elif __SIZEOF_POINTER__ == 4
typedef __INT32_TYPE__ int_fast16_t;
typedef __UINT32_TYPE__ uint_fast16_t;
#else
typedef __INT16_TYPE__ int_fast16_t;
typedef __UINT16_TYPE__ uint_fast16_t;
#endif
#if __SIZEOF_POINTER__ == 8
typedef __INT64_TYPE__ int_fast32_t;
typedef __UINT64_TYPE__ uint_fast32_t;
#elif __SIZEOF_POINTER__ == 4
typedef __INT32_TYPE__ int_fast32_t;
typedef __UINT32_TYPE__ uint_fast32_t;
#else
typedef __INT32_TYPE__ int_fast32_t;
typedef __UINT32_TYPE__ uint_fast32_t;
#endif
typedef __INT64_TYPE__ int_fast64_t;
typedef __UINT64_TYPE__ uint_fast64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INTMAX_TYPE__ intmax_t;
typedef __UINTMAX_TYPE__ uintmax_t;

#define INT8_C(c) c
#define INT16_C(c) c
#define UINT8_C(c) c
#if __SIZEOF_INT__ >= 4
#define UINT16_C(c) c
#define INT32_C(c) c
#define UINT32_C(c) c##U
#else
#define UINT16_C(c) c##U
#define INT32_C(c) c##L
#define UINT32_C(c) c##UL
#endif
#if __SIZEOF_LONG__ >= 8
#define INT64_C(c) c##L
#define UINT64_C(c) c##UL
#else
#define INT64_C(c) c##LL
#define UINT64_C(c) c##ULL
#endif
#define INTMAX_C(c) INT64_C(c)
#define UINTMAX_C(c) UINT64_C(c)

#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX INT32_C(2147483647)
#define INT64_MAX INT64_C(9223372036854775807)
#define INT8_MIN (-INT8_MAX - 1)
#define INT16_MIN (-INT16_MAX - 1)
#define INT32_MIN (-INT32_MAX - 1)
#define INT64_MIN (-INT64_MAX - 1)
#define UINT8_MAX 255
#define UINT16_MAX UINT16_C(65535)
#define UINT32_MAX UINT32_C(4294967295)
#define UINT64_MAX UINT64_C(18446744073709551615)
#define INTMAX_MAX INT64_MAX
#define INTMAX_MIN INT64_MIN
#define UINTMAX_MAX UINT64_MAX
#if __SIZEOF_POINTER__ == 8
#define INTPTR_MAX INT64_MAX
#define INTPTR_MIN INT64_MIN
#define UINTPTR_MAX UINT64_MAX
#elif __SIZEOF_POINTER__ == 4
#define INTPTR_MAX INT32_MAX
#define INTPTR_MIN INT32_MIN
#define UINTPTR_MAX UINT32_MAX
#else
#define INTPTR_MAX INT16_MAX
#define INTPTR_MIN INT16_MIN
#define UINTPTR_MAX UINT16_MAX
#endif
#define PTRDIFF_MAX INTPTR_MAX
#define PTRDIFF_MIN INTPTR_MIN
#define SIZE_MAX UINTPTR_MAX

#endif
