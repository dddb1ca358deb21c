// CIRC: --property asserts
// Resource handling with goto and cleanup labels, as drivers do it.
//
// EXPECT: violated asserts
//
// The failure of the interrupt line jumps one label too far: the memory is never released.
#include "circ.h"

struct device {
    int regions;
    int irq;
    int clock;
    int ready;
};

static struct device dev;

static int request_region(struct device *d, int fail)
{
    if (fail)
        return -12;
    d->regions++;
    return 0;
}

static int request_irq(struct device *d, int fail)
{
    if (fail)
        return -16;
    d->irq++;
    return 0;
}

static int enable_clock(struct device *d, int fail)
{
    if (fail)
        return -5;
    d->clock++;
    return 0;
}

static int probe(struct device *d, int fail_at)
{
    int err;

    err = request_region(d, fail_at == 1);
    if (err)
        goto out;
    err = request_irq(d, fail_at == 2);
    if (err)
        goto out;
    err = enable_clock(d, fail_at == 3);
    if (err)
        goto free_irq;
    d->ready = 1;
    return 0;

free_irq:
    d->irq--;
free_region:
    d->regions--;
out:
    return err;
}

int main(void)
{
    int where = nondet();
    int err = probe(&dev, where);

    if (err) {
        assert(where >= 1 && where <= 3);
        assert(dev.regions == 0 && dev.irq == 0 && dev.clock == 0);
        assert(!dev.ready);
    } else {
        assert(dev.regions == 1 && dev.irq == 1 && dev.clock == 1);
        assert(dev.ready);
    }
    return 0;
}
