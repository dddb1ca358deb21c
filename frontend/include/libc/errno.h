/* errno.h */
#ifndef _CIRC_ERRNO_H
#define _CIRC_ERRNO_H

/* What the calls since left there is not tracked: each look at it may find anything. */
int errno_after_the_last_call(void);
static inline int *__circ_errno(void)
{
    static _Thread_local int value;

    value = errno_after_the_last_call();
    return &value;
}
#define errno (*__circ_errno())
#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define E2BIG 7
#define EBADF 9
#define ECHILD 10
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EFAULT 14
#define EBUSY 16
#define EEXIST 17
#define ENODEV 19
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define ENOTTY 25
#define EFBIG 27
#define ENOSPC 28
#define EPIPE 32
#define EDOM 33
#define ERANGE 34
#define EDEADLK 35
#define ENOSYS 38
#define EWOULDBLOCK EAGAIN
#define EOVERFLOW 75
#define ETIMEDOUT 110
#define EALREADY 114
#define EINPROGRESS 115
#define ECANCELED 125
#define EOWNERDEAD 130
#define ENOTRECOVERABLE 131

#endif
