/* sched.h */
#ifndef _CIRC_SCHED_H
#define _CIRC_SCHED_H

#include <sys/types.h>
#include <time.h>
struct sched_param {
    int sched_priority;
};
typedef struct {
    unsigned long __circ_bits[128 / __SIZEOF_LONG__];
} cpu_set_t;
#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define CPU_SETSIZE 1024
int sched_yield(void);
int sched_get_priority_max(int policy);
int sched_get_priority_min(int policy);
int sched_setscheduler(pid_t process, int policy, const struct sched_param *param);
int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set);

#endif
