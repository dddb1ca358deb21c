/* stddef.h; offsetof is a word of the dialect. */
#ifndef _CIRC_STDDEF_H
#define _CIRC_STDDEF_H

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __WCHAR_TYPE__ wchar_t;
typedef struct { long long __circ_integer; long double __circ_number; } max_align_t;
#ifndef NULL
#define NULL ((void *)0)
#endif

#endif
