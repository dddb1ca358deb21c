// A Cortex-M's handlers are known by the table of vectors: nothing else marks them.
//
// EXPECT: race milliseconds
// EXPECT: race received
//
// main reads 64 bits while the tick may come in between, and clears what the other handler may be storing.
#include <stdint.h>

uint32_t __get_PRIMASK(void);
void __set_PRIMASK(uint32_t mask);
void __disable_irq(void);

static volatile uint64_t milliseconds;
static uint8_t received;

void on_tick(void) { milliseconds++; }
void on_receive(void) { received = *(volatile uint8_t *)0x40004404; }
void unexpected(void) { for (;;) { } }
int main(void);
void reset(void) { main(); }

void (*const vectors[])(void) __attribute__((section(".isr_vector"))) = { 0, reset, unexpected, on_tick, on_receive };

static uint64_t now(void)
{
    uint32_t mask = __get_PRIMASK();
    __disable_irq();
    uint64_t t = milliseconds;
    __set_PRIMASK(mask);
    return t;
}

int main(void)
{
    uint64_t last = now();
    for (;;) {
        received = 0;
        if (milliseconds - last > 1000) {
            last = now();
        }
    }
}
