/* time.h */
#ifndef _CIRC_TIME_H
#define _CIRC_TIME_H

#include <sys/types.h>
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
struct itimerspec {
    struct timespec it_interval;
    struct timespec it_value;
};
struct sigevent;
struct tm {
    int tm_sec;
    int tm_min;
    int tm_hour;
    int tm_mday;
    int tm_mon;
    int tm_year;
    int tm_wday;
    int tm_yday;
    int tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3
#define CLOCK_MONOTONIC_RAW 4
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_MONOTONIC_COARSE 6
#define CLOCK_BOOTTIME 7
#define TIMER_ABSTIME 1
#define TIME_UTC 1
time_t time(time_t *result);
clock_t clock(void);
double difftime(time_t later, time_t earlier);
time_t mktime(struct tm *broken);
time_t timegm(struct tm *broken);
time_t timelocal(struct tm *broken);
void tzset(void);
struct tm *gmtime(const time_t *when);
struct tm *localtime(const time_t *when);
struct tm *gmtime_r(const time_t *when, struct tm *result);
struct tm *localtime_r(const time_t *when, struct tm *result);
char *asctime(const struct tm *broken);
char *ctime(const time_t *when);
size_t strftime(char *to, size_t size, const char *format, const struct tm *broken);
int nanosleep(const struct timespec *time, struct timespec *left);
int clock_gettime(clockid_t clock, struct timespec *result);
int clock_settime(clockid_t clock, const struct timespec *time);
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left);
int clock_getres(clockid_t clock, struct timespec *result);
int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer);
int timer_settime(timer_t timer, int flags, const struct itimerspec *time, struct itimerspec *old);
int timer_gettime(timer_t timer, struct itimerspec *time);
int timer_getoverrun(timer_t timer);
int timer_delete(timer_t timer);
int timespec_get(struct timespec *result, int base);

#endif
