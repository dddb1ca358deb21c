/* signal.h */
#ifndef _CIRC_SIGNAL_H
#define _CIRC_SIGNAL_H

#include <sys/types.h>
typedef int sig_atomic_t;
typedef void (*__circ_handler)(int);
typedef struct { unsigned long __circ_bits[128 / __SIZEOF_LONG__]; } sigset_t;
typedef struct {
    int si_signo;
    int si_errno;
    int si_code;
    int si_pid;
    unsigned si_uid;
    int si_status;
    void *si_addr;
    int __circ_rest[(128 - 24 - __SIZEOF_POINTER__) / 4];
} siginfo_t;
struct sigaction {
    __circ_handler sa_handler;
    void (*sa_sigaction)(int, siginfo_t *, void *);
    sigset_t sa_mask;
    int sa_flags;
};
#define SIG_DFL ((__circ_handler)0)
#define SIG_IGN ((__circ_handler)1)
#define SIG_ERR ((__circ_handler)-1)
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGABRT 6
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIGCHLD 17
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#define SA_SIGINFO 4
#define SA_RESTART 0x10000000
__circ_handler signal(int number, __circ_handler handler);
int raise(int number);
int kill(pid_t process, int number);
int sigaction(int number, const struct sigaction *action, struct sigaction *old);
int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
int sigaddset(sigset_t *set, int number);
int sigdelset(sigset_t *set, int number);
int sigprocmask(int how, const sigset_t *set, sigset_t *old);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int sigwait(const sigset_t *set, int *number);

#endif
