// CIRC: --property asserts
// A cooperative scheduler: tasks as a table of function pointers with periods.
//
// EXPECT: violated asserts
//
// The countdown is reloaded with period + 1.
#include <assert.h>

struct task {
    void (*run)(void);
    unsigned char period;
    unsigned char left;
    unsigned char enabled;
};

static int led_toggles, samples, never;

static void blink(void) { led_toggles++; }
static void sample(void) { samples++; }
static void disabled(void) { never++; }

static struct task tasks[] = {
    { blink, 3, 3, 1 },
    { sample, 4, 4, 1 },
    { disabled, 1, 1, 0 },
};

#define TASKS (sizeof tasks / sizeof tasks[0])

static void tick(void)
{
    unsigned i;

    for (i = 0; i < TASKS; i++) {
        struct task *t = &tasks[i];

        if (!t->enabled)
            continue;
        if (--t->left == 0) {
            t->left = t->period + 1;
            t->run();
        }
    }
}

int main(void)
{
    int i;

    for (i = 0; i < 12; i++)
        tick();
    assert(led_toggles == 4);
    assert(samples == 3);
    assert(never == 0);
    return 0;
}
