#include <stdio.h>

#include "metrics.h"
#include "options.h"
#include "ring.h"
#include "transport.h"

static void progress(void)
{
    printf("%lu sent so far\n", transport_sent);
}

int main(int argc, char **argv)
{
    read_options(argc, argv);
    for (int i = 0; i < RING_SIZE; i++)
        ring_put(&samples, i);
    if (transport_start() != 0)
        return 1;
    progress();
    transport_stop();
    if (verbose)
        puts("all done");
    metrics_print("collected");
    return 0;
}
