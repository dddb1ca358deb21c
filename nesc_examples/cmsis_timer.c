// A Cortex-M: CMSIS enables the timer's interrupt by its number, and main holds back that one while it reads 64 bits.
// CIRC: --platform cortex-m --race-model machine
//
// EXPECT: safe microseconds
// EXPECT: safe alarm
//
// What is set before the interrupt is enabled needs no protection. A word of 32 bits is read by one instruction.
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
    NVIC_DisableIRQ(TIM2_IRQn);
    t = microseconds;
    NVIC_EnableIRQ(TIM2_IRQn);
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
