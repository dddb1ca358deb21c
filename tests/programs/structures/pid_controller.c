// CIRC: --property asserts
// A fixed-point PID controller with clamped output and anti-windup.
//
// EXPECT: safe asserts
//
// Whatever the sensor says, the output stays within its limits and the integral within its own.
#include <stdint.h>
#include "circ.h"

#define OUT_MIN (-255)
#define OUT_MAX 255
#define I_LIMIT 4000

struct pid {
    int16_t kp, ki, kd;
    int32_t integral;
    int16_t last_error;
};

static struct pid motor = { 20, 3, 5, 0, 0 };

static int32_t clamp(int32_t v, int32_t low, int32_t high)
{
    return v < low ? low : v > high ? high : v;
}

static int16_t update(struct pid *c, int16_t target, int16_t measured)
{
    int32_t error = (int32_t)target - measured;
    int32_t out;

    error = clamp(error, -1000, 1000);
    c->integral += error;
    c->integral = clamp(c->integral, -I_LIMIT, I_LIMIT);
    out = c->kp * error + c->ki * c->integral + c->kd * (error - c->last_error);
    c->last_error = (int16_t)error;
    return (int16_t)clamp(out / 16, OUT_MIN, OUT_MAX);
}

int main(void)
{
    int i;
    int16_t out;

    for (i = 0; i < 5; i++) {
        out = update(&motor, (int16_t)nondet(), (int16_t)nondet());
        assert(out >= OUT_MIN && out <= OUT_MAX);
        assert(motor.integral >= -I_LIMIT && motor.integral <= I_LIMIT);
    }
    return 0;
}
