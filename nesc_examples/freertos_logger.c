// FreeRTOS: a handler hands bytes to a task through a queue, and two tasks share a log under a mutex.
// CIRC: --platform cortex-m
//
// EXPECT: safe lines
// EXPECT: safe received
// EXPECT: safe overruns
// EXPECT: safe period
//
// What a call does is said by circ's own FreeRTOS.h. lines is counted under the mutex. received belongs to the task that takes
// bytes from the queue. overruns is the handler's, which nothing interrupts, and the task looks at it in a critical section.
// period is set before the scheduler starts.
#include "FreeRTOS.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"

typedef enum { USART1_IRQn = 37 } IRQn_Type;
void NVIC_EnableIRQ(IRQn_Type n);

#define USART_DATA (*(volatile uint32_t *)0x40011004)

static QueueHandle_t bytes;
static SemaphoreHandle_t mutex;
static unsigned lines, received, overruns;
static TickType_t period;

void USART1_IRQHandler(void)
{
    BaseType_t woken = pdFALSE;
    uint8_t c = USART_DATA;
    if (xQueueSendFromISR(bytes, &c, &woken) != pdTRUE)
        overruns++;
    portYIELD_FROM_ISR(woken);
}

static void reader(void *argument)
{
    uint8_t c;
    (void)argument;
    for (;;) {
        if (xQueueReceive(bytes, &c, portMAX_DELAY) != pdTRUE)
            continue;
        received++;
        if (c == '\n') {
            xSemaphoreTake(mutex, portMAX_DELAY);
            lines++;
            xSemaphoreGive(mutex);
        }
        taskENTER_CRITICAL();
        if (overruns > 100)
            overruns = 0;
        taskEXIT_CRITICAL();
    }
}

static void heartbeat(void *argument)
{
    (void)argument;
    for (;;) {
        if (xSemaphoreTake(mutex, portMAX_DELAY) == pdTRUE) {
            lines++;
            xSemaphoreGive(mutex);
        }
        vTaskDelay(period);
    }
}

int main(void)
{
    bytes = xQueueCreate(16, sizeof(uint8_t));
    mutex = xSemaphoreCreateMutex();
    xTaskCreate(reader, "reader", configMINIMAL_STACK_SIZE, NULL, 2, NULL);
    xTaskCreate(heartbeat, "heartbeat", configMINIMAL_STACK_SIZE, NULL, 1, NULL);
    period = pdMS_TO_TICKS(500);
    NVIC_EnableIRQ(USART1_IRQn);
    vTaskStartScheduler();
    return 0;
}
