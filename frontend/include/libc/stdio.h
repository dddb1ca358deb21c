/* stdio.h */
#ifndef _CIRC_STDIO_H
#define _CIRC_STDIO_H

#include <stddef.h>
#include <stdarg.h>
#include <sys/types.h>
typedef struct __circ_file FILE;
typedef long fpos_t;
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
#define stdin stdin
#define stdout stdout
#define stderr stderr
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
int printf(const char *format, ...);
int fprintf(FILE *file, const char *format, ...);
int dprintf(int file, const char *format, ...);
int sprintf(char *to, const char *format, ...);
int snprintf(char *to, size_t size, const char *format, ...);
int vprintf(const char *format, va_list args);
int vfprintf(FILE *file, const char *format, va_list args);
int vsprintf(char *to, const char *format, va_list args);
int vsnprintf(char *to, size_t size, const char *format, va_list args);
int scanf(const char *format, ...);
int fscanf(FILE *file, const char *format, ...);
int sscanf(const char *from, const char *format, ...);
int puts(const char *text);
int fputs(const char *text, FILE *file);
int putchar(int c);
int putc(int c, FILE *file);
int fputc(int c, FILE *file);
int getchar(void);
int getc(FILE *file);
int fgetc(FILE *file);
int ungetc(int c, FILE *file);
char *fgets(char *to, int size, FILE *file);
char *gets(char *to);
void perror(const char *text);
FILE *fopen(const char *path, const char *mode);
FILE *fdopen(int file, const char *mode);
FILE *freopen(const char *path, const char *mode, FILE *file);
int fclose(FILE *file);
int fflush(FILE *file);
size_t fread(void *to, size_t size, size_t count, FILE *file);
size_t fwrite(const void *from, size_t size, size_t count, FILE *file);
int fseek(FILE *file, long offset, int whence);
long ftell(FILE *file);
void rewind(FILE *file);
int feof(FILE *file);
int ferror(FILE *file);
void clearerr(FILE *file);
int fileno(FILE *file);
int remove(const char *path);
int rename(const char *from, const char *to);
FILE *tmpfile(void);
char *tmpnam(char *name);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *file);
FILE *fmemopen(void *buffer, size_t size, const char *mode);
void setlinebuf(FILE *file);
void setbuffer(FILE *file, char *buffer, size_t size);
int setvbuf(FILE *file, char *buffer, int mode, size_t size);
void setbuf(FILE *file, char *buffer);
ssize_t getline(char **line, size_t *size, FILE *file);

#endif
