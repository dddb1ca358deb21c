#ifndef METRICS_H
#define METRICS_H

#ifndef METRICS_SLOTS
#error "METRICS_SLOTS says how many counters there are"
#endif

void metrics_add(unsigned slot, long amount);
long metrics_total(void);
void metrics_print(const char *title);

#endif
