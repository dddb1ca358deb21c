// Writing a block to EEPROM byte by byte from the ready interrupt, which is enabled only while a job is open.
//
// EXPECT: safe job_data[]
// EXPECT: safe job_at
// EXPECT: safe errors
//
// main fills the job while the interrupt is disabled and enables it last; the handler disables itself with the last
// byte, and main starts the next job only after it has seen that.
#include <stdint.h>
#include "circ.h"

#define BLOCK 4

int ready_enabled;
uint8_t job_data[BLOCK];
uint8_t job_at;
uint8_t errors;

static int program_cell(uint8_t at, uint8_t v)
{
    return at < 128 && v != (uint8_t)nondet();
}

circ_interrupt(ready_enabled) void eeprom_ready(void)
{
    uint8_t at = job_at;

    if (at >= BLOCK) {
        atomic { ready_enabled = 0; }
        return;
    }
    if (!program_cell(at, job_data[at]))
        errors++;
    job_at = (uint8_t)(at + 1);
}

static int idle(void)
{
    int i;

    atomic { i = !ready_enabled; }
    return i;
}

int main(void)
{
    uint8_t i;

    for (;;) {
        while (!idle()) {
        }
        for (i = 0; i < BLOCK; i++)
            job_data[i] = (uint8_t)nondet();
        job_at = 0;
        atomic { ready_enabled = 1; }
    }
}
