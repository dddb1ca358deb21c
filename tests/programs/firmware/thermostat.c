// A thermostat: a sampling interrupt, a key interrupt, a radio task and main's control loop.
//
// EXPECT: safe window_sum
// EXPECT: safe window_count
// EXPECT: safe average
// EXPECT: safe heater_on
// EXPECT: safe setpoint
// EXPECT: safe mode
// EXPECT: safe report.temperature
// EXPECT: safe report.heater
// EXPECT: safe report_ready
//
// window_sum and window_count belong to the sampling handler. average is stored by it and fetched by main, main in atomic.
// heater_on belongs to main. mode is accessed in atomic by everyone. report is written by main while report_ready is 0
// and read by the radio task while it is 1; report_ready is accessed in atomic.
// setpoint is changed by the key handler and by main's night setback; main does it in atomic.
#include <stdint.h>
#include "circ.h"

#define WINDOW 8
#define MIN_SET 50
#define MAX_SET 300
#define HYSTERESIS 5

enum mode { MODE_OFF, MODE_DAY, MODE_NIGHT, MODES };

struct report {
    int16_t temperature;
    uint8_t heater;
};

int adc_on = 1, keys_on = 1;

int32_t window_sum;
uint8_t window_count;
int16_t average;
int16_t setpoint = 210;
uint8_t mode = MODE_DAY;
uint8_t heater_on;
struct report report;
uint8_t report_ready;

static int16_t to_tenths(uint16_t raw)
{
    /* 10 mV per degree, 10 bits over 2.56 V, offset of 50 degrees */
    return (int16_t)((int32_t)raw * 5 / 2 - 500);
}

circ_interrupt(adc_on) void adc_complete(void)
{
    uint16_t raw = (uint16_t)(nondet() & 0x3ff);

    window_sum += to_tenths(raw);
    window_count++;
    if (window_count == WINDOW) {
        average = (int16_t)(window_sum / WINDOW);
        window_sum = 0;
        window_count = 0;
    }
}

circ_interrupt(keys_on) void key_pressed(void)
{
    uint8_t key = (uint8_t)(nondet() & 3);

    switch (key) {
    case 0:
        if (setpoint < MAX_SET)
            setpoint += 5;
        break;
    case 1:
        if (setpoint > MIN_SET)
            setpoint -= 5;
        break;
    case 2:
        atomic { mode = (uint8_t)((mode + 1) % MODES); }
        break;
    default:
        break;
    }
}

static int16_t read_average(void)
{
    int16_t t;

    atomic { t = average; }
    return t;
}

static int16_t read_setpoint(void)
{
    int16_t s;

    atomic { s = setpoint; }
    return s;
}

static uint8_t read_mode(void)
{
    uint8_t m;

    atomic { m = mode; }
    return m;
}

static void night_setback(void)
{
    atomic {
        if (setpoint > 170)
            setpoint = 170;
    }
}

static void control(int16_t t, int16_t target)
{
    if (heater_on) {
        if (t > target + HYSTERESIS)
            heater_on = 0;
    } else {
        if (t < target - HYSTERESIS)
            heater_on = 1;
    }
}

static void publish(int16_t t)
{
    uint8_t busy;

    atomic { busy = report_ready; }
    if (busy)
        return;
    report.temperature = t;
    report.heater = heater_on;
    atomic { report_ready = 1; }
}

circ_task void radio_send(void)
{
    uint8_t ready;
    int16_t frame = 0;

    atomic { ready = report_ready; }
    if (!ready)
        return;
    frame = report.temperature;
    if (report.heater)
        frame = (int16_t)(frame | 0x4000);
    atomic { report_ready = 0; }
    if (frame < 0)
        frame = 0;
}

int main(void)
{
    int16_t t;
    uint8_t m, last = MODE_DAY;

    for (;;) {
        t = read_average();
        m = read_mode();
        if (m == MODE_NIGHT && last != MODE_NIGHT)
            night_setback();
        last = m;
        if (m == MODE_OFF)
            heater_on = 0;
        else
            control(t, read_setpoint());
        publish(t);
    }
}
