// FreeRTOS, without care: the mutex is given up on, the handler's counter is cleared as if nobody else had it.
// CIRC: --platform cortex-m
//
// EXPECT: race lines
// EXPECT: safe received
// EXPECT: race overruns
// EXPECT: safe period
//
// heartbeat waits ten ticks for the mutex and counts whether it has it or not. reader clears overruns outside a critical section:
// the handler may come between its look and its write.
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
        if (overruns > 100)
            overruns = 0;
    }
}

static void heartbeat(void *argument)
{
    (void)argument;
    for (;;) {
        BaseType_t taken = xSemaphoreTake(mutex, 10);
        lines++;
        if (taken)
            xSemaphoreGive(mutex);
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
