/* cmsis_os2.h: CMSIS-RTOS2 in terms of FreeRTOS.h, which says what each call does */
#ifndef _CIRC_CMSIS_OS2_H
#define _CIRC_CMSIS_OS2_H

#include <FreeRTOS.h>

typedef enum { osOK = 0, osError = -1, osErrorTimeout = -2, osErrorResource = -3, osErrorParameter = -4, osErrorNoMemory = -5,
               osErrorISR = -6 } osStatus_t;
typedef enum { osKernelInactive = 0, osKernelReady = 1, osKernelRunning = 2 } osKernelState_t;
typedef enum { osPriorityNone = 0, osPriorityIdle = 1, osPriorityLow = 8, osPriorityLow1, osPriorityBelowNormal = 16,
               osPriorityBelowNormal1, osPriorityNormal = 24, osPriorityNormal1, osPriorityAboveNormal = 32,
               osPriorityAboveNormal1, osPriorityHigh = 40, osPriorityHigh1, osPriorityRealtime = 48, osPriorityRealtime1,
               osPriorityISR = 56 } osPriority_t;
typedef void (*osThreadFunc_t)(void *argument);
typedef void (*osTimerFunc_t)(void *argument);
typedef TaskHandle_t osThreadId_t;
typedef QueueHandle_t osMutexId_t;
typedef QueueHandle_t osSemaphoreId_t;
typedef QueueHandle_t osMessageQueueId_t;
typedef EventGroupHandle_t osEventFlagsId_t;
typedef struct { const char *name; uint32_t attr_bits; void *cb_mem; uint32_t cb_size; void *stack_mem; uint32_t stack_size;
                 osPriority_t priority; uint32_t tz_module; uint32_t reserved; } osThreadAttr_t;
typedef struct { const char *name; uint32_t attr_bits; void *cb_mem; uint32_t cb_size; } osMutexAttr_t;
typedef osMutexAttr_t osSemaphoreAttr_t;
typedef osMutexAttr_t osEventFlagsAttr_t;
typedef struct { const char *name; uint32_t attr_bits; void *cb_mem; uint32_t cb_size; void *mq_mem; uint32_t mq_size;
               } osMessageQueueAttr_t;
#define osWaitForever 0xFFFFFFFFU
#define osFlagsWaitAny 0U
#define osFlagsWaitAll 1U
#define osFlagsNoClear 2U
#define osFlagsErrorTimeout 0xFFFFFFFEU
#define osMutexRecursive 1U
#define osMutexPrioInherit 2U
#define osMutexRobust 8U

static inline osStatus_t osKernelInitialize(void) { return osOK; }
static inline uint32_t osKernelGetTickCount(void) { return (uint32_t)__VERIFIER_nondet_int(); }
/* The lock is not counted: one that is set stays set, and is given back at once. */
__attribute__((weak)) _Thread_local int32_t __circ_kernel_locked;
static inline int32_t osKernelRestoreLock(int32_t lock)
{
    if (lock && !__circ_kernel_locked)
        vTaskSuspendAll();
    if (!lock && __circ_kernel_locked)
        xTaskResumeAll();
    __circ_kernel_locked = lock != 0;
    return __circ_kernel_locked;
}
static inline int32_t osKernelLock(void)
{
    int32_t before = __circ_kernel_locked;
    osKernelRestoreLock(1);
    return before;
}
static inline int32_t osKernelUnlock(void)
{
    int32_t before = __circ_kernel_locked;
    osKernelRestoreLock(0);
    return before;
}
static inline osStatus_t osDelay(uint32_t ticks) { (void)ticks; return osOK; }
static inline osStatus_t osDelayUntil(uint32_t ticks) { (void)ticks; return osOK; }
static inline osStatus_t osThreadYield(void) { return osOK; }
#define osKernelStart() (__circ_start_scheduler(), osOK)
#define osThreadNew(function, argument, attributes) \
    __extension__ ({ \
        TaskHandle_t __circ_new_thread = 0; \
        (void)(attributes), (void)__circ_create(function, argument, &__circ_new_thread); \
        (osThreadId_t)__circ_new_thread; \
    })
#define osThreadExit() pthread_exit(0)
#define osThreadGetId() ((osThreadId_t)__circ_task_number())

/* A mutex may be recursive, as its attributes say, which are not looked at: one with a time may fail for who has it. */
#define osMutexNew(attributes) ((void)(attributes), xSemaphoreCreateRecursiveMutex())
static inline osStatus_t osMutexAcquire(osMutexId_t mutex, uint32_t ticks)
{
    if (ticks != osWaitForever && __VERIFIER_nondet_int()) {
        __circ_unsure();
        return osErrorTimeout;
    }
    return xSemaphoreTakeRecursive(mutex, ticks) ? osOK : osErrorTimeout;
}
static inline osStatus_t osMutexRelease(osMutexId_t mutex) { return xSemaphoreGiveRecursive(mutex) ? osOK : osErrorResource; }
static inline osStatus_t osMutexDelete(osMutexId_t mutex) { (void)mutex; return osOK; }
#define osSemaphoreNew(most, first, attributes) ((void)(attributes), xSemaphoreCreateCounting(most, first))
static inline osStatus_t osSemaphoreAcquire(osSemaphoreId_t semaphore, uint32_t ticks)
{
    return xSemaphoreTake(semaphore, ticks) ? osOK : osErrorTimeout;
}
static inline osStatus_t osSemaphoreRelease(osSemaphoreId_t semaphore) { return xSemaphoreGive(semaphore) ? osOK : osErrorResource; }
static inline osStatus_t osSemaphoreDelete(osSemaphoreId_t semaphore) { (void)semaphore; return osOK; }
#define osMessageQueueNew(count, size, attributes) ((void)(attributes), xQueueCreate(count, size))
/* What is more urgent overtakes what is less so; which of them there are is not followed. */
static inline int __circ_urgent(unsigned priority)
{
    if (priority == 0)
        return 0;
    __circ_unsure();
    return __VERIFIER_nondet_int() != 0;
}
#define osMessageQueuePut(queue, item, priority, ticks) \
    (__circ_send(queue, item, ticks, __circ_urgent(priority)) ? osOK : osErrorResource)
#define osMessageQueueGet(queue, item, priority, ticks) \
    ((void)(priority), __circ_receive(queue, item, ticks, 0) ? osOK : osErrorResource)
static inline uint32_t osMessageQueueGetCount(osMessageQueueId_t queue) { (void)queue; return (uint32_t)__circ_some_number(); }
#define osEventFlagsNew(attributes) ((void)(attributes), xEventGroupCreate())
static inline uint32_t osEventFlagsSet(osEventFlagsId_t group, uint32_t flags) { return xEventGroupSetBits(group, flags); }
static inline uint32_t osEventFlagsClear(osEventFlagsId_t group, uint32_t flags) { return xEventGroupClearBits(group, flags); }
static inline uint32_t osEventFlagsWait(osEventFlagsId_t group, uint32_t flags, uint32_t options, uint32_t ticks)
{
    BaseType_t all = (options & osFlagsWaitAll) != 0;
    uint32_t found = xEventGroupWaitBits(group, flags, (options & osFlagsNoClear) == 0, all, ticks);
    return (all ? (found & flags) == flags : (found & flags) != 0) ? found : osFlagsErrorTimeout;
}

#endif
