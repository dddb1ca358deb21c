// A handler listed in a table of vectors that counts and then stops the program; what it counts is shared all the same.
// EXPECT: race faults
// EXPECT: race ticks
#include <stdint.h>

volatile uint32_t faults, ticks;

void SysTick_Handler(void) { ticks++; }
void UART_Handler(void) {
    faults++;
    for (;;)
        ;
}
void Default_Handler(void) {
    for (;;)
        ;
}
typedef void (*vector)(void);
__attribute__((section(".isr_vector"))) const vector vectors[] = {(vector)0x20001000, Default_Handler, SysTick_Handler, UART_Handler};

int main(void) {
    for (;;) {
        faults = 0;
        ticks = 0;
    }
}
