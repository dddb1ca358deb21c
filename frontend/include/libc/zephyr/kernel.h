/* zephyr/kernel.h: threads, mutexes, semaphores and message queues of Zephyr, in terms of threads and semaphores */
#ifndef _CIRC_ZEPHYR_KERNEL_H
#define _CIRC_ZEPHYR_KERNEL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

int __circ_sem_try(sem_t *semaphore);
void __circ_unsure(void);
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
#define k_thread_create(thread, stack, size, entry, first, second, third, priority, options, delay) \
    __extension__ ({ \
        k_tid_t __circ_new = (thread); \
        (void)(stack), (void)(size), (void)(second), (void)(third), (void)(priority), (void)(options); \
        pthread_create(&__circ_new->__circ_thread, 0, (void *(*)(void *))(entry), (first)); \
        __circ_new; \
    })
static inline int32_t k_msleep(int32_t ms) { (void)ms; return 0; }
static inline int32_t k_usleep(int32_t us) { (void)us; return 0; }
static inline int32_t k_sleep(k_timeout_t time) { (void)time; return 0; }
static inline void k_busy_wait(uint32_t us) { (void)us; }
static inline void k_yield(void) { }
static inline int64_t k_uptime_get(void) { return __VERIFIER_nondet_int(); }
static inline uint32_t k_uptime_get_32(void) { return (uint32_t)__VERIFIER_nondet_int(); }

/* ------------------------------------------------------------------------------------------------ interrupts */
#define irq_lock() (__VERIFIER_atomic_begin(), 0u)
#define irq_unlock(key) ((void)(key), __VERIFIER_atomic_end())
struct k_spinlock { int __circ_unused; };
typedef struct { int key; } k_spinlock_key_t;
#define k_spin_lock(lock) ((void)(lock), __VERIFIER_atomic_begin(), (k_spinlock_key_t){ 0 })
#define k_spin_unlock(lock, key) ((void)(lock), (void)(key), __VERIFIER_atomic_end())
__attribute__((weak)) pthread_mutex_t __circ_scheduler;
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

struct k_sem { sem_t __circ_items; unsigned __circ_limit; };
#define K_SEM_DEFINE(name, first, most) struct k_sem name = { { (first) }, (most) }
#define K_SEM_MAX_LIMIT 0xffffffffu
static inline int k_sem_init(struct k_sem *semaphore, unsigned first, unsigned most)
{
    sem_init(&semaphore->__circ_items, 0, first);
    semaphore->__circ_limit = most;
    return 0;
}
static inline int k_sem_take(struct k_sem *semaphore, k_timeout_t time)
{
    if (time.ticks < 0)
        return sem_wait(&semaphore->__circ_items);
    return __circ_sem_try(&semaphore->__circ_items) == 0 ? 0 : time.ticks ? -EAGAIN : -EBUSY;
}
/* That no more than the limit are given is not looked at. */
static inline void k_sem_give(struct k_sem *semaphore) { sem_post(&semaphore->__circ_items); }

#endif
