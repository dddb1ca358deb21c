/* string.h */
#ifndef _CIRC_STRING_H
#define _CIRC_STRING_H

#include <stddef.h>
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *mempcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
void explicit_bzero(void *to, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *in, int value, size_t size);
size_t strlen(const char *text);
size_t strnlen(const char *text, size_t size);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t size);
char *stpcpy(char *to, const char *from);
char *strcat(char *to, const char *from);
char *strncat(char *to, const char *from, size_t size);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
int strcoll(const char *a, const char *b);
char *strchr(const char *in, int c);
char *strrchr(const char *in, int c);
char *strstr(const char *in, const char *what);
char *strpbrk(const char *in, const char *what);
size_t strspn(const char *in, const char *what);
size_t strcspn(const char *in, const char *what);
char *strdup(const char *text);
char *strndup(const char *text, size_t size);
char *strtok(char *text, const char *separators);
char *strtok_r(char *text, const char *separators, char **state);
char *strerror(int error);
char *strsignal(int signal);
int strerror_r(int error, char *to, size_t size);

#endif
