/* signal.h */
#ifndef _CIRC_SIGNAL_H
#define _CIRC_SIGNAL_H

#include <sys/types.h>
typedef int sig_atomic_t;
typedef void (*__circ_handler)(int);
typedef struct { unsigned long __circ_bits[128 / __SIZEOF_LONG__]; } sigset_t;
union sigval {
    int sival_int;
    void *sival_ptr;
};
typedef struct {
    int si_signo;
    int si_errno;
    int si_code;
    int si_pid;
    unsigned si_uid;
    int si_status;
    void *si_addr;
    union sigval si_value;
    long si_band;
    int si_fd;
    int si_timerid;
    int si_overrun;
    int __circ_rest[(128 - 36 - 2 * __SIZEOF_POINTER__ - __SIZEOF_LONG__) / 4];
} siginfo_t;
#define si_ptr si_value.sival_ptr
#define si_int si_value.sival_int
struct sigevent {
    union sigval sigev_value;
    int sigev_signo;
    int sigev_notify;
    void (*sigev_notify_function)(union sigval);
    void *sigev_notify_attributes;
    int __circ_rest[(64 - 8 - 3 * __SIZEOF_POINTER__) / 4];
};
typedef struct {
    void *ss_sp;
    int ss_flags;
    size_t ss_size;
} stack_t;
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
#define SIGEV_SIGNAL 0
#define SIGEV_NONE 1
#define SIGEV_THREAD 2
#define SIGTRAP 5
#define SIGBUS 7
#define SIGCONT 18
#define SIGSTOP 19
#define SIGTSTP 20
#define SIGURG 23
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGWINCH 28
#define SIGIO 29
#define SIGSYS 31
#define SIGRTMIN 34
#define SIGRTMAX 64
#define SA_NOCLDSTOP 1
#define SA_NOCLDWAIT 2
#define SA_SIGINFO 4
#define SA_ONSTACK 0x08000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND 0x80000000
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
int sigismember(const sigset_t *set, int number);
int sigpending(sigset_t *set);
int sigsuspend(const sigset_t *set);
int sigqueue(pid_t process, int number, const union sigval value);
int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout);
int sigwaitinfo(const sigset_t *set, siginfo_t *info);
int sigaltstack(const stack_t *stack, stack_t *old);
int killpg(pid_t group, int number);
int sigwait(const sigset_t *set, int *number);

#endif
