// A Cortex-M: CMSIS enables the timer's interrupt by its number, and main holds back another one.
// CIRC: --platform cortex-m --race-model machine
//
// EXPECT: race microseconds
// EXPECT: safe alarm
//
// The number is that of another interrupt: the timer may come between the two halves of the time.
#include <stdint.h>

typedef enum { TIM2_IRQn = 28, USART2_IRQn = 38 } IRQn_Type;
void NVIC_EnableIRQ(IRQn_Type irq);
void NVIC_DisableIRQ(IRQn_Type irq);

static volatile uint64_t microseconds;
static volatile uint32_t alarm;

void TIM2_IRQHandler(void)
{
    microseconds += 100;
    if (microseconds > 1000000)
        alarm = 1;
}

static uint64_t now(void)
{
    uint64_t t;
    NVIC_DisableIRQ(USART2_IRQn);
    t = microseconds;
    NVIC_EnableIRQ(USART2_IRQn);
    return t;
}

int main(void)
{
    uint64_t last = 0;
    microseconds = 0;
    NVIC_EnableIRQ(TIM2_IRQn);
    for (;;) {
        if (alarm && now() - last > 500) {
            last = now();
            alarm = 0;
        }
    }
}
