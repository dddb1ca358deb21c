/* zephyr/kernel.h: threads, mutexes, semaphores and message queues of Zephyr, in terms of threads and semaphores */
#ifndef _CIRC_ZEPHYR_KERNEL_H
#define _CIRC_ZEPHYR_KERNEL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int __circ_sem_try(sem_t *semaphore);
void __circ_unsure(void);
void __circ_last_key(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_int(void);

typedef struct { int64_t ticks; } k_timeout_t;
#define K_FOREVER ((k_timeout_t){ -1 })
#define K_NO_WAIT ((k_timeout_t){ 0 })
#define K_MSEC(ms) ((k_timeout_t){ (ms) })
#define K_SECONDS(s) ((k_timeout_t){ 1000 * (int64_t)(s) })
#define K_USEC(us) ((k_timeout_t){ (us) })
#define K_PRIO_PREEMPT(n) (n)
#define K_PRIO_COOP(n) (-16 + (n))
#define K_USER 0
#define EAGAIN 11
#define EBUSY 16
#define ENOMSG 42

/* ------------------------------------------------------------------------------------------------ threads */
typedef void (*k_thread_entry_t)(void *, void *, void *);
struct k_thread { pthread_t __circ_thread; };
typedef struct k_thread *k_tid_t;
typedef char k_thread_stack_t;
#define K_THREAD_STACK_DEFINE(name, size) static k_thread_stack_t name[1]
#define K_THREAD_STACK_SIZEOF(name) sizeof(name)
#define K_THREAD_DEFINE(name, size, entry, first, second, third, priority, options, delay) \
    __attribute__((circ_threads(1))) void name##_thread(void) { entry(first, second, third); }
struct __circ_call { k_thread_entry_t entry; void *first, *second, *third; };
static inline void *k_thread_entry(void *given)
{
    struct __circ_call *call = given;
    call->entry(call->first, call->second, call->third);
    return 0;
}
/* A thread that waits for its start may run before; no race is shown behind it. */
#define k_thread_create(thread, stack, size, function, p1, p2, p3, priority, options, delay) \
    __extension__ ({ \
        k_tid_t __circ_new = (thread); \
        struct __circ_call *__circ_given = malloc(sizeof(struct __circ_call)); \
        if (__circ_given == 0) \
            abort(); \
        *__circ_given = (struct __circ_call){ (function), (void *)(p1), (void *)(p2), (void *)(p3) }; \
        (void)(stack), (void)(size), (void)(priority), (void)(options); \
        if ((delay).ticks != 0) \
            __circ_unsure(); \
        pthread_create(&__circ_new->__circ_thread, 0, k_thread_entry, __circ_given); \
        __circ_new; \
    })
static inline void k_thread_start(k_tid_t thread) { (void)thread; }
static inline int k_thread_join(k_tid_t thread, k_timeout_t time)
{
    if (time.ticks >= 0) {
        __circ_unsure();
        return __VERIFIER_nondet_int() ? 0 : -EAGAIN;
    }
    return pthread_join(thread->__circ_thread, 0);
}
/* That another thread does not run any more, or for a while, is not followed. */
static inline void k_thread_abort(k_tid_t thread) { (void)thread; __circ_unsure(); }
static inline void k_thread_suspend(k_tid_t thread) { (void)thread; __circ_unsure(); }
static inline void k_thread_resume(k_tid_t thread) { (void)thread; }
static inline int32_t k_msleep(int32_t ms) { (void)ms; return 0; }
static inline int32_t k_usleep(int32_t us) { (void)us; return 0; }
static inline int32_t k_sleep(k_timeout_t time) { (void)time; return 0; }
static inline void k_busy_wait(uint32_t us) { (void)us; }
static inline void k_yield(void) { }
static inline int64_t k_uptime_get(void) { return __VERIFIER_nondet_int(); }
static inline uint32_t k_uptime_get_32(void) { return (uint32_t)__VERIFIER_nondet_int(); }

/* ------------------------------------------------------------------------------------------------ interrupts */
#define irq_lock() (__VERIFIER_atomic_begin(), 0u)
#define irq_unlock(key) ((void)(key), __circ_last_key(), __VERIFIER_atomic_end())
typedef struct { int key; } k_spinlock_key_t;
#if defined __CIRC_CORES && __CIRC_CORES > 1
struct k_spinlock { pthread_mutex_t __circ_lock; };
static inline k_spinlock_key_t k_spin_lock(struct k_spinlock *lock)
{
    pthread_mutex_lock(&lock->__circ_lock);
    return (k_spinlock_key_t){ 0 };
}
static inline void k_spin_unlock(struct k_spinlock *lock, k_spinlock_key_t key)
{
    (void)key;
    pthread_mutex_unlock(&lock->__circ_lock);
}
#else
struct k_spinlock { int __circ_unused; };
#define k_spin_lock(lock) ((void)(lock), __VERIFIER_atomic_begin(), (k_spinlock_key_t){ 0 })
#define k_spin_unlock(lock, key) ((void)(lock), (void)(key), __circ_last_key(), __VERIFIER_atomic_end())
#endif
__attribute__((weak)) pthread_mutex_t __circ_scheduler = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static inline void k_sched_lock(void) { __circ_unsure(); pthread_mutex_lock(&__circ_scheduler); }
static inline void k_sched_unlock(void) { pthread_mutex_unlock(&__circ_scheduler); }

/* ------------------------------------------------------------------------------------------------ mutexes and semaphores
   A mutex may be taken again by who has it. */
struct k_mutex { pthread_mutex_t __circ_mutex; };
#define K_MUTEX_DEFINE(name) struct k_mutex name = { PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP }
static inline int k_mutex_init(struct k_mutex *mutex)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex->__circ_mutex, &recursive);
    return 0;
}
static inline int k_mutex_lock(struct k_mutex *mutex, k_timeout_t time)
{
    if (time.ticks < 0)
        return pthread_mutex_lock(&mutex->__circ_mutex);
    return pthread_mutex_trylock(&mutex->__circ_mutex) == 0 ? 0 : -EAGAIN;
}
static inline int k_mutex_unlock(struct k_mutex *mutex) { return pthread_mutex_unlock(&mutex->__circ_mutex); }

struct k_sem { sem_t __circ_items, __circ_room; };
#define __circ_room_for(first, most) (((most) > 0x7fffffffu ? 0x7fffffffu : (most)) - (first))
#define K_SEM_DEFINE(name, first, most) struct k_sem name = { { (first) }, { __circ_room_for(first, most) } }
#define K_SEM_MAX_LIMIT 0xffffffffu
static inline int k_sem_init(struct k_sem *semaphore, unsigned first, unsigned most)
{
    sem_init(&semaphore->__circ_items, 0, first);
    sem_init(&semaphore->__circ_room, 0, __circ_room_for(first, most));
    return 0;
}
static inline int k_sem_take(struct k_sem *semaphore, k_timeout_t time)
{
    if (time.ticks < 0)
        sem_wait(&semaphore->__circ_items);
    else if (__circ_sem_try(&semaphore->__circ_items) != 0)
        return time.ticks ? -EAGAIN : -EBUSY;
    sem_post(&semaphore->__circ_room);
    return 0;
}
/* No more than the limit are given. */
static inline void k_sem_give(struct k_sem *semaphore)
{
    if (__circ_sem_try(&semaphore->__circ_room) == 0)
        sem_post(&semaphore->__circ_items);
}

#endif
