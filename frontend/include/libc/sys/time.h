/* sys/time.h */
#ifndef _CIRC_SYS_TIME_H
#define _CIRC_SYS_TIME_H

#include <sys/types.h>
struct timeval {
    time_t tv_sec;
    suseconds_t tv_usec;
};
struct timezone {
    int tz_minuteswest;
    int tz_dsttime;
};
int gettimeofday(struct timeval *result, void *zone);
int settimeofday(const struct timeval *time, const struct timezone *zone);

#endif
