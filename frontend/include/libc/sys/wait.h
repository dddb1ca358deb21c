/* sys/wait.h */
#ifndef _CIRC_SYS_WAIT_H
#define _CIRC_SYS_WAIT_H

#include <sys/types.h>
#define WNOHANG 1
#define WEXITSTATUS(status) (((status) >> 8) & 0xff)
#define WIFEXITED(status) (((status) & 0x7f) == 0)
pid_t wait(int *status);
pid_t waitpid(pid_t child, int *status, int options);

#endif
