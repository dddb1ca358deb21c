/* unistd.h */
#ifndef _CIRC_UNISTD_H
#define _CIRC_UNISTD_H

#include <stddef.h>
#include <sys/types.h>
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _SC_PAGESIZE 30
#define _SC_NPROCESSORS_ONLN 84
unsigned int sleep(unsigned int seconds);
int usleep(useconds_t microseconds);
unsigned int alarm(unsigned int seconds);
int pause(void);
ssize_t read(int file, void *to, size_t size);
ssize_t write(int file, const void *from, size_t size);
int close(int file);
off_t lseek(int file, off_t offset, int whence);
int pipe(int files[2]);
int dup(int file);
int dup2(int from, int to);
int unlink(const char *path);
int access(const char *path, int mode);
int isatty(int file);
char *getcwd(char *to, size_t size);
pid_t getpid(void);
pid_t getppid(void);
pid_t gettid(void);
uid_t getuid(void);
pid_t fork(void);
int execv(const char *path, char *const arguments[]);
int execvp(const char *file, char *const arguments[]);
_Noreturn void _exit(int status);
long sysconf(int name);
int getopt(int count, char *const arguments[], const char *options);
extern char *optarg;
extern int optind;
extern int opterr;
extern int optopt;

#endif
