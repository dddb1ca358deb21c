/* FreeRTOS.h, task.h, queue.h, semphr.h and timers.h of FreeRTOS: what each call does, in terms of threads and semaphores.

   A queue, semaphore or mutex is a semaphore for what is in it and one for the room that is left; items are copied in critical
   sections, as the kernel does it. A wait with a time may end
   without success, one with portMAX_DELAY does not. Tasks run when the scheduler has started. */
#ifndef _CIRC_FREERTOS_H
#define _CIRC_FREERTOS_H

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void __circ_start_scheduler(void);
void __circ_unsure(void);
int __circ_sem_try(sem_t *semaphore);
unsigned long __circ_task_number(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_int(void);

typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t TickType_t;
typedef uint32_t StackType_t;
typedef uint16_t configSTACK_DEPTH_TYPE;
typedef void (*TaskFunction_t)(void *);
typedef struct { int unused; } StaticTask_t;
typedef struct { int unused; } StaticQueue_t;
typedef StaticQueue_t StaticSemaphore_t;
typedef unsigned long TaskHandle_t;

#define pdFALSE ((BaseType_t)0)
#define pdTRUE ((BaseType_t)1)
#define pdFAIL pdFALSE
#define pdPASS pdTRUE
#define errQUEUE_EMPTY pdFALSE
#define errQUEUE_FULL pdFALSE
#define errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY (-1)
#define portMAX_DELAY ((TickType_t)0xffffffffUL)
#ifndef configTICK_RATE_HZ
#define configTICK_RATE_HZ ((TickType_t)1000)
#endif
#ifndef configMINIMAL_STACK_SIZE
#define configMINIMAL_STACK_SIZE ((uint16_t)128)
#endif
#ifndef configMAX_PRIORITIES
#define configMAX_PRIORITIES 8
#endif
#define portTICK_PERIOD_MS ((TickType_t)1000 / configTICK_RATE_HZ)
#define portTICK_RATE_MS portTICK_PERIOD_MS
#define pdMS_TO_TICKS(ms) ((TickType_t)(((TickType_t)(ms) * configTICK_RATE_HZ) / (TickType_t)1000))
#define tskIDLE_PRIORITY ((UBaseType_t)0)
#define configASSERT(e) ((void)(e))

/* ------------------------------------------------------------------------------------------------ critical sections
   They keep out all others, handlers included. That those above the kernel's own priority do not matter is taken for granted. */
#if defined __CIRC_CORES && __CIRC_CORES > 1
/* Ports for several processors give each section a lock of its own; one without is the kernel's. */
typedef struct { pthread_mutex_t __circ_lock; } portMUX_TYPE;
#define portMUX_INITIALIZER_UNLOCKED { PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP }
__attribute__((weak)) portMUX_TYPE __circ_kernel_lock = portMUX_INITIALIZER_UNLOCKED;
static inline void __circ_enter(portMUX_TYPE *mux) { pthread_mutex_lock(&mux->__circ_lock); }
static inline void __circ_leave(portMUX_TYPE *mux) { pthread_mutex_unlock(&mux->__circ_lock); }
#define __circ_this(unused, mux, ...) (mux)
#define portENTER_CRITICAL(...) __circ_enter(__circ_this(0, ##__VA_ARGS__, &__circ_kernel_lock))
#define portEXIT_CRITICAL(...) __circ_leave(__circ_this(0, ##__VA_ARGS__, &__circ_kernel_lock))
#else
typedef struct { int unused; } portMUX_TYPE;
#define portMUX_INITIALIZER_UNLOCKED { 0 }
#define portENTER_CRITICAL(...) __VERIFIER_atomic_begin()
#define portEXIT_CRITICAL(...) __VERIFIER_atomic_end()
#endif
#define taskENTER_CRITICAL(...) portENTER_CRITICAL(__VA_ARGS__)
#define taskEXIT_CRITICAL(...) portEXIT_CRITICAL(__VA_ARGS__)
#define taskENTER_CRITICAL_FROM_ISR() (portENTER_CRITICAL(), (UBaseType_t)0)
#define taskEXIT_CRITICAL_FROM_ISR(x) ((void)(x), portEXIT_CRITICAL())
#define portSET_INTERRUPT_MASK_FROM_ISR() taskENTER_CRITICAL_FROM_ISR()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(x) taskEXIT_CRITICAL_FROM_ISR(x)
#define taskYIELD() ((void)0)
#define portYIELD() ((void)0)
#define portYIELD_FROM_ISR(...) ((void)0)
#define portEND_SWITCHING_ISR(...) ((void)0)
/* That no other task runs meanwhile on the one processor is not followed. */
#define taskDISABLE_INTERRUPTS() (__circ_unsure(), __disable_irq())
#define taskENABLE_INTERRUPTS() __enable_irq()
void __disable_irq(void);
void __enable_irq(void);

/* The scheduler's own lock: who holds it is not interrupted by other tasks. That these do not run meanwhile is not followed. */
__attribute__((weak)) pthread_mutex_t __circ_scheduler = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static inline void vTaskSuspendAll(void)
{
    __circ_unsure();
    pthread_mutex_lock(&__circ_scheduler);
}

static inline BaseType_t xTaskResumeAll(void)
{
    pthread_mutex_unlock(&__circ_scheduler);
    return pdFALSE;
}

/* ------------------------------------------------------------------------------------------------ tasks */
#define __circ_create(code, argument, handle) \
    __extension__ ({ \
        pthread_t __circ_thread; \
        TaskHandle_t *__circ_handle = (handle); \
        BaseType_t __circ_made = pthread_create(&__circ_thread, 0, (void *(*)(void *))(code), (argument)) == 0; \
        if (__circ_made && __circ_handle) \
            *__circ_handle = (TaskHandle_t)__circ_thread; \
        __circ_made ? pdPASS : (BaseType_t)errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY; \
    })
#define xTaskCreate(code, name, depth, argument, priority, handle) \
    ((void)(name), (void)(depth), (void)(priority), __circ_create(code, argument, handle))
#define xTaskCreatePinnedToCore(code, name, depth, argument, priority, handle, core) \
    ((void)(core), xTaskCreate(code, name, depth, argument, priority, handle))
#define xTaskCreateStatic(code, name, depth, argument, priority, stack, task) \
    __extension__ ({ \
        TaskHandle_t __circ_static = 0; \
        (void)(stack), (void)(task), (void)xTaskCreate(code, name, depth, argument, priority, &__circ_static); \
        __circ_static; \
    })
#define vTaskStartScheduler() __circ_start_scheduler()
/* That another task does not run any more, or for a while, is not followed. */
#define vTaskDelete(task) \
    do { \
        TaskHandle_t __circ_ended = (TaskHandle_t)(task); \
        if (__circ_ended == 0) \
            pthread_exit(0); \
        __circ_unsure(); \
        if (__circ_ended == __circ_task_number()) \
            pthread_exit(0); \
    } while (0)
#define xTaskGetCurrentTaskHandle() ((TaskHandle_t)__circ_task_number())

/* A number that the kernel knows: no race is shown that may rest on another one. */
static inline UBaseType_t __circ_some_number(void)
{
    __circ_unsure();
    return (UBaseType_t)__VERIFIER_nondet_int();
}

static inline void vTaskDelay(const TickType_t ticks) { (void)ticks; }
static inline void vTaskDelayUntil(TickType_t *last, const TickType_t ticks) { *last += ticks; }
static inline BaseType_t xTaskDelayUntil(TickType_t *last, const TickType_t ticks) { *last += ticks; return pdTRUE; }
static inline void vTaskSuspend(TaskHandle_t task) { (void)task; __circ_unsure(); }
static inline void vTaskResume(TaskHandle_t task) { (void)task; }
static inline BaseType_t xTaskResumeFromISR(TaskHandle_t task) { (void)task; return __VERIFIER_nondet_int() != 0; }
static inline TickType_t xTaskGetTickCount(void) { return (TickType_t)__VERIFIER_nondet_int(); }
static inline TickType_t xTaskGetTickCountFromISR(void) { return (TickType_t)__VERIFIER_nondet_int(); }
static inline UBaseType_t uxTaskPriorityGet(TaskHandle_t task) { (void)task; return __circ_some_number(); }
static inline void vTaskPrioritySet(TaskHandle_t task, UBaseType_t priority) { (void)task; (void)priority; }

/* ------------------------------------------------------------------------------------------------ queues */
struct QueueDefinition {
    sem_t __circ_items, __circ_room;
    pthread_mutex_t __circ_recursive;
    unsigned __circ_size, __circ_length, __circ_first, __circ_count;
    void *__circ_storage;
};
typedef struct QueueDefinition *QueueHandle_t;
typedef QueueHandle_t SemaphoreHandle_t;
typedef QueueHandle_t QueueSetHandle_t;
typedef QueueHandle_t xQueueHandle;
typedef QueueHandle_t xSemaphoreHandle;

static inline QueueHandle_t __circ_new_queue(UBaseType_t items, UBaseType_t room, UBaseType_t size)
{
    QueueHandle_t made = (QueueHandle_t)malloc(sizeof(struct QueueDefinition));
    if (made == 0)
        abort();
    sem_init(&made->__circ_items, 0, items);
    sem_init(&made->__circ_room, 0, room);
    made->__circ_size = size;
    made->__circ_length = items + room;
    made->__circ_first = made->__circ_count = 0;
    made->__circ_storage = 0;
    return made;
}

#define xQueueCreate(length, size) \
    __extension__ ({ \
        QueueHandle_t __circ_made = __circ_new_queue(0, (length), (size)); \
        if ((size) != 0 && (__circ_made->__circ_storage = malloc((length) * (size))) == 0) \
            abort(); \
        __circ_made; \
    })

/* 1 if one was taken off; 0 if there was none at once, or in time. */
static inline BaseType_t __circ_take(sem_t *of, TickType_t ticks)
{
    if (ticks == portMAX_DELAY) {
        sem_wait(of);
        return pdTRUE;
    }
    return __circ_sem_try(of) == 0;
}

/* Where the next item goes, and where the first one is. */
static inline unsigned __circ_next_room(QueueHandle_t queue, int in_front)
{
    unsigned at = (queue->__circ_first + (in_front ? queue->__circ_length - 1 : queue->__circ_count)) % queue->__circ_length;
    if (in_front)
        queue->__circ_first = at;
    queue->__circ_count++;
    return at;
}

static inline unsigned __circ_next_item(QueueHandle_t queue, int leave)
{
    unsigned at = queue->__circ_first;
    if (!leave) {
        queue->__circ_first = (at + 1) % queue->__circ_length;
        queue->__circ_count--;
    }
    return at;
}

/* An item is copied as what the pointer to it points to, or byte by byte if that is void. */
#define __circ_item(item) _Generic((item), void *: (char *)0, const void *: (char *)0, default: (item))
#define __circ_slot(queue, item, at) (((__typeof__(*__circ_item(item)) *)(queue)->__circ_storage)[at])
#define __circ_put_item(queue, item, in_front) \
    do { \
        __VERIFIER_atomic_begin(); \
        unsigned __circ_at = __circ_next_room(queue, in_front); \
        _Generic((item), void *: __circ_copy_in(queue, __circ_at, (const void *)(item)), \
                 const void *: __circ_copy_in(queue, __circ_at, (const void *)(item)), \
                 default: (void)(__circ_slot(queue, item, __circ_at) = *__circ_item(item))); \
        __VERIFIER_atomic_end(); \
        sem_post(&(queue)->__circ_items); \
    } while (0)
#define __circ_send(queue, item, ticks, in_front) \
    __extension__ ({ \
        QueueHandle_t __circ_queue = (queue); \
        BaseType_t __circ_sent = __circ_take(&__circ_queue->__circ_room, ticks); \
        if (__circ_sent) \
            __circ_put_item(__circ_queue, item, in_front); \
        __circ_sent; \
    })
#define __circ_receive(queue, item, ticks, leave) \
    __extension__ ({ \
        QueueHandle_t __circ_queue = (queue); \
        BaseType_t __circ_got = __circ_take(&__circ_queue->__circ_items, ticks); \
        if (__circ_got) { \
            __VERIFIER_atomic_begin(); \
            unsigned __circ_at = __circ_next_item(__circ_queue, leave); \
            _Generic((item), void *: __circ_copy_out(__circ_queue, __circ_at, (void *)(item)), \
                     default: (void)(*__circ_item(item) = __circ_slot(__circ_queue, item, __circ_at))); \
            __VERIFIER_atomic_end(); \
            sem_post((leave) ? &__circ_queue->__circ_items : &__circ_queue->__circ_room); \
        } \
        __circ_got; \
    })

static inline void __circ_copy_in(QueueHandle_t queue, unsigned at, const void *item)
{
    memcpy((char *)queue->__circ_storage + at * queue->__circ_size, item, queue->__circ_size);
}

static inline void __circ_copy_out(QueueHandle_t queue, unsigned at, void *item)
{
    memcpy(item, (char *)queue->__circ_storage + at * queue->__circ_size, queue->__circ_size);
}

static inline void __circ_woken(BaseType_t *woken)
{
    if (woken != 0 && __VERIFIER_nondet_int())
        *woken = pdTRUE;
}

#define xQueueSend(q, item, ticks) __circ_send(q, item, ticks, 0)
#define xQueueSendToBack(q, item, ticks) __circ_send(q, item, ticks, 0)
#define xQueueSendToFront(q, item, ticks) __circ_send(q, item, ticks, 1)
#define xQueueReceive(q, item, ticks) __circ_receive(q, item, ticks, 0)
#define xQueuePeek(q, item, ticks) __circ_receive(q, item, ticks, 1)
#define xQueueSendFromISR(q, item, woken) (__circ_woken(woken), __circ_send(q, item, 0, 0))
#define xQueueSendToBackFromISR(q, item, woken) (__circ_woken(woken), __circ_send(q, item, 0, 0))
#define xQueueSendToFrontFromISR(q, item, woken) (__circ_woken(woken), __circ_send(q, item, 0, 1))
#define xQueueReceiveFromISR(q, item, woken) (__circ_woken(woken), __circ_receive(q, item, 0, 0))
/* A queue of one item, which is replaced. */
#define xQueueOverwrite(q, item) \
    __extension__ ({ \
        QueueHandle_t __circ_one = (q); \
        if (__circ_sem_try(&__circ_one->__circ_items) == 0) { \
            __VERIFIER_atomic_begin(); \
            __circ_one->__circ_count = 0; \
            __VERIFIER_atomic_end(); \
            __circ_put_item(__circ_one, item, 0); \
        } else { \
            (void)__circ_send(__circ_one, item, 0, 0); \
        } \
        pdPASS; \
    })
#define xQueueOverwriteFromISR(q, item, woken) (__circ_woken(woken), xQueueOverwrite(q, item))
static inline UBaseType_t uxQueueMessagesWaiting(QueueHandle_t q) { (void)q; return __circ_some_number(); }
static inline UBaseType_t uxQueueSpacesAvailable(QueueHandle_t q) { (void)q; return __circ_some_number(); }
static inline void vQueueDelete(QueueHandle_t q) { (void)q; }
#define xQueueCreateStatic(length, size, storage, queue) ((void)(storage), (void)(queue), xQueueCreate(length, size))

/* ------------------------------------------------------------------------------------------------ semaphores and mutexes */
static inline SemaphoreHandle_t xSemaphoreCreateMutex(void) { return __circ_new_queue(1, 0, 0); }
static inline SemaphoreHandle_t xSemaphoreCreateBinary(void) { return __circ_new_queue(0, 1, 0); }
static inline SemaphoreHandle_t xSemaphoreCreateCounting(UBaseType_t most, UBaseType_t first)
{
    return __circ_new_queue(first, most - first, 0);
}
#define xSemaphoreCreateMutexStatic(buffer) ((void)(buffer), xSemaphoreCreateMutex())
#define xSemaphoreCreateBinaryStatic(buffer) ((void)(buffer), xSemaphoreCreateBinary())
#define xSemaphoreCreateCountingStatic(most, first, buffer) ((void)(buffer), xSemaphoreCreateCounting(most, first))
#define vSemaphoreCreateBinary(s) ((void)((s) = __circ_new_queue(1, 0, 0)))
#define vSemaphoreDelete(s) vQueueDelete(s)

static inline BaseType_t xSemaphoreTake(SemaphoreHandle_t s, TickType_t ticks)
{
    if (!__circ_take(&s->__circ_items, ticks))
        return pdFALSE;
    sem_post(&s->__circ_room);
    return pdTRUE;
}

static inline BaseType_t xSemaphoreGive(SemaphoreHandle_t s)
{
    if (__circ_sem_try(&s->__circ_room) != 0)
        return pdFALSE;
    sem_post(&s->__circ_items);
    return pdTRUE;
}

static inline BaseType_t xSemaphoreGiveFromISR(SemaphoreHandle_t s, BaseType_t *woken)
{
    __circ_woken(woken);
    return xSemaphoreGive(s);
}

static inline BaseType_t xSemaphoreTakeFromISR(SemaphoreHandle_t s, BaseType_t *woken)
{
    __circ_woken(woken);
    return xSemaphoreTake(s, 0);
}
#define uxSemaphoreGetCount(s) uxQueueMessagesWaiting(s)

/* A recursive mutex knows who has it. Calls for plain ones, which it is not meant for, take another lock. */

static inline SemaphoreHandle_t xSemaphoreCreateRecursiveMutex(void)
{
    pthread_mutexattr_t recursive;
    QueueHandle_t made = __circ_new_queue(1, 0, 0);
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&made->__circ_recursive, &recursive);
    return made;
}
#define xSemaphoreCreateRecursiveMutexStatic(buffer) ((void)(buffer), xSemaphoreCreateRecursiveMutex())

static inline BaseType_t xSemaphoreTakeRecursive(SemaphoreHandle_t s, TickType_t ticks)
{
    if (ticks == portMAX_DELAY) {
        pthread_mutex_lock(&s->__circ_recursive);
        return pdTRUE;
    }
    return pthread_mutex_trylock(&s->__circ_recursive) == 0;
}

static inline BaseType_t xSemaphoreGiveRecursive(SemaphoreHandle_t s)
{
    return pthread_mutex_unlock(&s->__circ_recursive) == 0;
}

/* ------------------------------------------------------------------------------------------------ notifications
   Each task has a number that others add to. */
#define __CIRC_TASKS 64
__attribute__((weak)) sem_t __circ_notified[__CIRC_TASKS];

static inline BaseType_t xTaskNotifyGive(TaskHandle_t task)
{
    sem_post(&__circ_notified[task % __CIRC_TASKS]);
    return pdPASS;
}

static inline void vTaskNotifyGiveFromISR(TaskHandle_t task, BaseType_t *woken)
{
    __circ_woken(woken);
    sem_post(&__circ_notified[task % __CIRC_TASKS]);
}

static inline uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks)
{
    sem_t *mine = &__circ_notified[__circ_task_number() % __CIRC_TASKS];
    uint32_t taken = __circ_take(mine, ticks);
    if (taken && clear)
        while (__circ_sem_try(mine) == 0)
            taken++;
    return taken;
}

/* The bits of a notification are not followed: no race is shown behind a wait for them. */
static inline BaseType_t xTaskNotifyWait(uint32_t before, uint32_t after, uint32_t *value, TickType_t ticks)
{
    (void)before, (void)after, (void)ticks;
    if (value != 0)
        *value = (uint32_t)__circ_some_number();
    __circ_unsure();
    return ticks == portMAX_DELAY || __VERIFIER_nondet_int() != 0;
}

/* ------------------------------------------------------------------------------------------------ event groups */
typedef TickType_t EventBits_t;
typedef struct EventGroupDef_t { EventBits_t __circ_bits; } *EventGroupHandle_t;

static inline EventGroupHandle_t xEventGroupCreate(void)
{
    EventGroupHandle_t made = (EventGroupHandle_t)malloc(sizeof(struct EventGroupDef_t));
    if (made == 0)
        abort();
    made->__circ_bits = 0;
    return made;
}

static inline EventBits_t xEventGroupSetBits(EventGroupHandle_t group, const EventBits_t bits)
{
    EventBits_t now;
    __VERIFIER_atomic_begin();
    now = group->__circ_bits |= bits;
    __VERIFIER_atomic_end();
    return now;
}

static inline EventBits_t xEventGroupClearBits(EventGroupHandle_t group, const EventBits_t bits)
{
    EventBits_t before;
    __VERIFIER_atomic_begin();
    before = group->__circ_bits;
    group->__circ_bits = before & ~bits;
    __VERIFIER_atomic_end();
    return before;
}
#define xEventGroupGetBits(group) xEventGroupClearBits(group, 0)
#define xEventGroupGetBitsFromISR(group) xEventGroupClearBits(group, 0)
#define xEventGroupSetBitsFromISR(group, bits, woken) (__circ_woken(woken), (void)xEventGroupSetBits(group, bits), pdPASS)

static inline EventBits_t xEventGroupWaitBits(EventGroupHandle_t group, const EventBits_t bits, const BaseType_t clear,
                                              const BaseType_t all, TickType_t ticks)
{
    EventBits_t found;
    do {
        __VERIFIER_atomic_begin();
        found = group->__circ_bits;
        if (clear && (all ? (found & bits) == bits : (found & bits) != 0))
            group->__circ_bits = found & ~bits;
        __VERIFIER_atomic_end();
    } while (ticks == portMAX_DELAY && !(all ? (found & bits) == bits : (found & bits) != 0));
    return found;
}

/* ------------------------------------------------------------------------------------------------ timers
   One task calls the functions of all timers, one after the other. When one stops is not followed. */
struct tmrTimerControl {
    void (*__circ_function)(struct tmrTimerControl *);
    void *__circ_id;
    BaseType_t __circ_again;
    sem_t __circ_started;
};
typedef struct tmrTimerControl *TimerHandle_t;
typedef void (*TimerCallbackFunction_t)(TimerHandle_t);
__attribute__((weak)) pthread_mutex_t __circ_timers;

static inline void *__circ_timer(void *given)
{
    TimerHandle_t timer = (TimerHandle_t)given;
    for (;;) {
        sem_wait(&timer->__circ_started);
        do {
            pthread_mutex_lock(&__circ_timers);
            timer->__circ_function(timer);
            pthread_mutex_unlock(&__circ_timers);
        } while (timer->__circ_again);
    }
    return 0;
}

#define xTimerCreate(name, period, reload, id, function) \
    __extension__ ({ \
        pthread_t __circ_thread; \
        TimerHandle_t __circ_new = (TimerHandle_t)malloc(sizeof(struct tmrTimerControl)); \
        if (__circ_new == 0) \
            abort(); \
        __circ_new->__circ_function = (function); \
        __circ_new->__circ_id = (id); \
        sem_init(&__circ_new->__circ_started, 0, 0); \
        __circ_new->__circ_again = (reload); \
        (void)(name), (void)(period); \
        pthread_create(&__circ_thread, 0, __circ_timer, __circ_new); \
        __circ_new; \
    })

static inline BaseType_t xTimerStart(TimerHandle_t timer, TickType_t ticks)
{
    (void)ticks;
    sem_post(&timer->__circ_started);
    return pdPASS;
}
/* What is started again before its time is called once for both. */
#define xTimerReset(timer, ticks) (__circ_unsure(), xTimerStart(timer, ticks))
#define xTimerStartFromISR(timer, woken) (__circ_woken(woken), xTimerStart(timer, 0))

static inline BaseType_t xTimerStop(TimerHandle_t timer, TickType_t ticks)
{
    (void)timer;
    (void)ticks;
    __circ_unsure();
    return pdPASS;
}
static inline void *pvTimerGetTimerID(TimerHandle_t timer) { return timer->__circ_id; }

#endif
