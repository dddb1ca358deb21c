/* semaphore.h */
#ifndef _CIRC_SEMAPHORE_H
#define _CIRC_SEMAPHORE_H

#include <sys/types.h>
#include <time.h>
/* The size is that of glibc, see pthread.h. */
typedef struct {
    _Alignas(long) unsigned int __circ_value;
    long : 8 * __SIZEOF_LONG__; long : 8 * __SIZEOF_LONG__; long : 8 * __SIZEOF_LONG__;
} sem_t;
#define SEM_FAILED ((sem_t *)0)
#define SEM_VALUE_MAX __INT_MAX__
int sem_init(sem_t *semaphore, int shared, unsigned value);
int sem_destroy(sem_t *semaphore);
sem_t *sem_open(const char *name, int flags, ...);
int sem_close(sem_t *semaphore);
int sem_unlink(const char *name);
int sem_wait(sem_t *semaphore);
int sem_trywait(sem_t *semaphore);
int sem_timedwait(sem_t *semaphore, const struct timespec *until);
int sem_post(sem_t *semaphore);
int sem_getvalue(sem_t *semaphore, int *value);

#endif
