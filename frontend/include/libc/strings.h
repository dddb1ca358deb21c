/* strings.h */
#ifndef _CIRC_STRINGS_H
#define _CIRC_STRINGS_H

#include <stddef.h>
void bzero(void *to, size_t size);
void bcopy(const void *from, void *to, size_t size);
int strcasecmp(const char *a, const char *b);
int strncasecmp(const char *a, const char *b, size_t size);
int ffs(int value);

#endif
