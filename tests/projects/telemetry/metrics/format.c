#include <stdio.h>

#include "metrics/metrics.h"

void metrics_print(const char *title)
{
    printf("%s: %ld\n", title, metrics_total());
}
