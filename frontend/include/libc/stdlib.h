/* stdlib.h */
#ifndef _CIRC_STDLIB_H
#define _CIRC_STDLIB_H

#include <stddef.h>
#include <stdint.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX __INT_MAX__
typedef struct {
    int quot;
    int rem;
} div_t;
typedef struct {
    long quot;
    long rem;
} ldiv_t;
typedef struct {
    long long quot;
    long long rem;
} lldiv_t;
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **result, size_t alignment, size_t size);
void free(void *old);
_Noreturn void abort(void);
_Noreturn void exit(int status);
_Noreturn void _Exit(int status);
_Noreturn void quick_exit(int status);
int atexit(void (*function)(void));
int on_exit(void (*function)(int, void *), void *argument);
int at_quick_exit(void (*function)(void));
int abs(int value);
long labs(long value);
long long llabs(long long value);
div_t div(int value, int by);
ldiv_t ldiv(long value, long by);
lldiv_t lldiv(long long value, long long by);
int rand(void);
void srand(unsigned seed);
int rand_r(unsigned *seed);
long random(void);
void srandom(unsigned seed);
int atoi(const char *text);
long atol(const char *text);
long long atoll(const char *text);
double atof(const char *text);
long strtol(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
char *getenv(const char *name);
int setenv(const char *name, const char *value, int overwrite);
int unsetenv(const char *name);
int putenv(char *text);
int clearenv(void);
char *secure_getenv(const char *name);
double drand48(void);
long lrand48(void);
long mrand48(void);
void srand48(long seed);
int mblen(const char *text, size_t size);
char *l64a(long value);
char *ptsname(int file);
int system(const char *command);
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));

#endif
