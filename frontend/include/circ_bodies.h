/* What functions of <string.h>, <strings.h>, <stdio.h> and <stdlib.h> do, as C: a program that calls one of them gets its body.

   Each function stands in a paragraph of its own. A function whose name begins with __circ_ is called by other bodies, or in place
   of the one that it is named after, see frontend/text/bodies. */

/* Any number of the sign that a comparison gives: C says no more. */
static int __circ_sign(int a, int b)
{
    unsigned any;
    if (a == b)
        return 0;
    any = __VERIFIER_nondet_uint() & 0x7fffffffu;
    return a < b ? -1 - (int)any : any ? (int)any : 1;
}

__attribute__((weak)) int strcmp(const char *a, const char *b)
{
    while (*a != 0 && *a == *b) {
        a++;
        b++;
    }
    return __circ_sign((unsigned char)*a, (unsigned char)*b);
}

__attribute__((weak)) int strncmp(const char *a, const char *b, __SIZE_TYPE__ n)
{
    while (n > 0 && *a != 0 && *a == *b) {
        a++;
        b++;
        n--;
    }
    return n == 0 ? 0 : __circ_sign((unsigned char)*a, (unsigned char)*b);
}

static int __circ_lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

__attribute__((weak)) int strcasecmp(const char *a, const char *b)
{
    while (*a != 0 && __circ_lower((unsigned char)*a) == __circ_lower((unsigned char)*b)) {
        a++;
        b++;
    }
    return __circ_sign(__circ_lower((unsigned char)*a), __circ_lower((unsigned char)*b));
}

__attribute__((weak)) __SIZE_TYPE__ strlen(const char *s)
{
    __SIZE_TYPE__ n = 0;
    while (s[n] != 0)
        n++;
    return n;
}

__attribute__((weak)) __SIZE_TYPE__ strnlen(const char *s, __SIZE_TYPE__ most)
{
    __SIZE_TYPE__ n = 0;
    while (n < most && s[n] != 0)
        n++;
    return n;
}

__attribute__((weak)) char *strchr(const char *s, int c)
{
    while (*s != (char)c && *s != 0)
        s++;
    return *s == (char)c ? (char *)s : (char *)0;
}

__attribute__((weak)) char *strrchr(const char *s, int c)
{
    const char *found = 0;
    for (;; s++) {
        if (*s == (char)c)
            found = s;
        if (*s == 0)
            return (char *)found;
    }
}

__attribute__((weak)) char *strstr(const char *s, const char *part)
{
    for (;; s++) {
        const char *a = s, *b = part;
        while (*b != 0 && *a == *b) {
            a++;
            b++;
        }
        if (*b == 0)
            return (char *)s;
        if (*s == 0)
            return 0;
    }
}

__attribute__((weak)) __SIZE_TYPE__ strcspn(const char *s, const char *set)
{
    __SIZE_TYPE__ n = 0;
    const char *c;
    for (; s[n] != 0; n++)
        for (c = set; *c != 0; c++)
            if (s[n] == *c)
                return n;
    return n;
}

__attribute__((weak)) __SIZE_TYPE__ strspn(const char *s, const char *set)
{
    __SIZE_TYPE__ n = 0;
    const char *c;
    for (; s[n] != 0; n++) {
        for (c = set; *c != 0 && *c != s[n]; c++)
            ;
        if (*c == 0)
            break;
    }
    return n;
}

__attribute__((weak)) char *strtok_r(char *s, const char *set, char **rest)
{
    char *begin;
    const char *c;
    if (s == 0)
        s = *rest;
    for (; *s != 0; s++) {
        for (c = set; *c != 0 && *c != *s; c++)
            ;
        if (*c == 0)
            break;
    }
    begin = s;
    for (; *s != 0; s++)
        for (c = set; *c != 0; c++)
            if (*c == *s) {
                *s = 0;
                *rest = s + 1;
                return begin;
            }
    *rest = s;
    return s == begin ? (char *)0 : begin;
}

__attribute__((weak)) char *strcpy(char *to, const char *from)
{
    char *begin = to;
    while ((*to = *from) != 0) {
        to++;
        from++;
    }
    return begin;
}

__attribute__((weak)) char *strncpy(char *to, const char *from, __SIZE_TYPE__ n)
{
    __SIZE_TYPE__ i = 0;
    for (; i < n && from[i] != 0; i++)
        to[i] = from[i];
    for (; i < n; i++)
        to[i] = 0;
    return to;
}

__attribute__((weak)) char *strcat(char *to, const char *from)
{
    char *begin = to;
    while (*to != 0)
        to++;
    while ((*to = *from) != 0) {
        to++;
        from++;
    }
    return begin;
}

__attribute__((weak)) char *strncat(char *to, const char *from, __SIZE_TYPE__ n)
{
    char *begin = to;
    while (*to != 0)
        to++;
    for (; n > 0 && *from != 0; n--)
        *to++ = *from++;
    *to = 0;
    return begin;
}

static char *__circ_copied(char *made, const char *s)
{
    __SIZE_TYPE__ i = 0;
    if (made != 0)
        while ((made[i] = s[i]) != 0)
            i++;
    return made;
}

/* A line ends with its newline, where there is no more room, or at the end of the input. After an error any part of it may be there.
   The first character is waited for. */
static char *__circ_fgets(char *to, int n, FILE *stream)
{
    extern int __circ_end_of_input(void);
    int i = 0;
    char c;
    if (n <= 0 || fgetc(stream) < 0) {
        while (i < n && __circ_end_of_input())
            to[i++] = __VERIFIER_nondet_char();
        return 0;
    }
    while (i < n - 1) {
        c = __VERIFIER_nondet_char();
        to[i++] = c;
        if (c == '\n' || __circ_end_of_input())
            break;
    }
    to[i] = 0;
    return to;
}

/* Formatted output: a text or a number behind the first `at` characters, of which `room` are kept, and how many there are then. */
static __SIZE_TYPE__ __circ_put(char *to, __SIZE_TYPE__ room, __SIZE_TYPE__ at, char c)
{
    if (at + 1 < room)
        to[at] = c;
    return at + 1;
}

static __SIZE_TYPE__ __circ_put_text(char *to, __SIZE_TYPE__ room, __SIZE_TYPE__ at, const char *text, int width)
{
    int length = 0;
    for (; *text != 0; text++) {
        at = __circ_put(to, room, at, *text);
        length++;
    }
    for (; length < width; length++)
        at = __circ_put(to, room, at, ' ');
    return at;
}

static __SIZE_TYPE__ __circ_put_number(char *to, __SIZE_TYPE__ room, __SIZE_TYPE__ at, unsigned long long value, int minus,
                                       unsigned base, int width, char fill)
{
    unsigned long long power = 1;
    int length = 1 + minus;
    unsigned digit;
    while (value / power >= base) {
        power *= base;
        length++;
    }
    for (; fill == ' ' && length < width; length++)
        at = __circ_put(to, room, at, ' ');
    if (minus)
        at = __circ_put(to, room, at, '-');
    for (; length < width; length++)
        at = __circ_put(to, room, at, '0');
    for (; power > 0; power /= base) {
        digit = (unsigned)(value / power % base);
        at = __circ_put(to, room, at, (char)(digit < 10 ? '0' + digit : 'a' + digit - 10));
    }
    return at;
}
