/* pthread.h: the objects are opaque, their functions are known by name. */
#ifndef _CIRC_PTHREAD_H
#define _CIRC_PTHREAD_H

#include <stddef.h>
#include <sched.h>
#include <time.h>
typedef unsigned long pthread_t;
typedef unsigned int pthread_key_t;
/* The sizes are those of glibc: bit fields without a name are room that nothing is in. */
#define _CIRC_ROOM long : 8 * __SIZEOF_LONG__
typedef struct { _Alignas(long) int __circ_mutex; int : 32; _CIRC_ROOM; _CIRC_ROOM; _CIRC_ROOM; _CIRC_ROOM; } pthread_mutex_t;
typedef struct { int __circ_kind; } pthread_mutexattr_t;
typedef struct {
    _Alignas(long) int __circ_cond;
    int : 32; long long : 64; long long : 64; long long : 64; long long : 64; long long : 64;
} pthread_cond_t;
typedef struct { int __circ_clock; } pthread_condattr_t;
typedef struct {
    _Alignas(long) int __circ_rwlock;
    int : 32; _CIRC_ROOM; _CIRC_ROOM; _CIRC_ROOM; _CIRC_ROOM; _CIRC_ROOM; _CIRC_ROOM;
} pthread_rwlock_t;
typedef struct { _Alignas(long) int __circ_kind; int : 32; } pthread_rwlockattr_t;
typedef struct { _Alignas(long) int __circ_barrier; int : 32; _CIRC_ROOM; _CIRC_ROOM; _CIRC_ROOM; } pthread_barrier_t;
typedef struct { int __circ_kind; } pthread_barrierattr_t;
typedef struct { int __circ_once; } pthread_once_t;
typedef struct {
    _Alignas(long) int __circ_detached;
    int : 32; int : 32; int : 32; _CIRC_ROOM; _CIRC_ROOM; _CIRC_ROOM; _CIRC_ROOM; _CIRC_ROOM;
} pthread_attr_t;
typedef struct { int __circ_spin; } pthread_spinlock_t;
#define PTHREAD_MUTEX_INITIALIZER { 0 }
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP { 1 << 30 }
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP { 1 << 29 }
#define PTHREAD_COND_INITIALIZER { 0 }
#define PTHREAD_RWLOCK_INITIALIZER { 0 }
#define PTHREAD_ONCE_INIT { 0 }
#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1
#define PTHREAD_MUTEX_NORMAL 0
#define PTHREAD_MUTEX_RECURSIVE 1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_DEFAULT PTHREAD_MUTEX_NORMAL
#define PTHREAD_MUTEX_STALLED 0
#define PTHREAD_MUTEX_ROBUST 1
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#define PTHREAD_BARRIER_SERIAL_THREAD (-1)
#define PTHREAD_CANCEL_ENABLE 0
#define PTHREAD_CANCEL_DISABLE 1
#define PTHREAD_CANCEL_DEFERRED 0
#define PTHREAD_CANCEL_ASYNCHRONOUS 1
#define PTHREAD_CANCELED ((void *)-1)
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
int pthread_detach(pthread_t thread);
_Noreturn void pthread_exit(void *result);
pthread_t pthread_self(void);
int pthread_equal(pthread_t a, pthread_t b);
int pthread_cancel(pthread_t thread);
int pthread_kill(pthread_t thread, int signal);
int pthread_setcancelstate(int state, int *old);
int pthread_setcanceltype(int type, int *old);
void pthread_testcancel(void);
int pthread_yield(void);
int pthread_once(pthread_once_t *once, void (*function)(void));
int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size);
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_trylock(pthread_mutex_t *mutex);
int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_mutexattr_init(pthread_mutexattr_t *attributes);
int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes);
int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int type);
int pthread_mutexattr_setrobust(pthread_mutexattr_t *attributes, int robustness);
int pthread_mutex_consistent(pthread_mutex_t *mutex);
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int shared);
int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes);
int pthread_cond_destroy(pthread_cond_t *cond);
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until);
int pthread_cond_signal(pthread_cond_t *cond);
int pthread_cond_broadcast(pthread_cond_t *cond);
int pthread_condattr_init(pthread_condattr_t *attributes);
int pthread_condattr_destroy(pthread_condattr_t *attributes);
int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock);
int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes);
int pthread_rwlock_destroy(pthread_rwlock_t *lock);
int pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock);
int pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock);
int pthread_rwlock_unlock(pthread_rwlock_t *lock);
int pthread_spin_init(pthread_spinlock_t *lock, int shared);
int pthread_spin_destroy(pthread_spinlock_t *lock);
int pthread_spin_lock(pthread_spinlock_t *lock);
int pthread_spin_trylock(pthread_spinlock_t *lock);
int pthread_spin_unlock(pthread_spinlock_t *lock);
int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count);
int pthread_barrier_destroy(pthread_barrier_t *barrier);
int pthread_barrier_wait(pthread_barrier_t *barrier);
void __circ_cleanup_push(void (*routine)(void *), void *argument);
void __circ_cleanup_pop(void);
#define pthread_cleanup_push(routine, argument) \
    do { void (*__circ_routine)(void *) = (routine); void *__circ_argument = (argument); \
        __circ_cleanup_push(__circ_routine, __circ_argument);
#define pthread_cleanup_pop(execute) \
        __circ_cleanup_pop(); if (execute) __circ_routine(__circ_argument); } while (0)
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int pthread_key_delete(pthread_key_t key);
void *pthread_getspecific(pthread_key_t key);
int pthread_setspecific(pthread_key_t key, const void *value);

#endif
