/* avr/sleep.h */
#ifndef _CIRC_AVR_SLEEP_H
#define _CIRC_AVR_SLEEP_H

#define SLEEP_MODE_IDLE 0
#define SLEEP_MODE_PWR_DOWN 2
#define SLEEP_MODE_PWR_SAVE 3
void set_sleep_mode(int mode);
void sleep_mode(void);
void sleep_enable(void);
void sleep_disable(void);
void sleep_cpu(void);

#endif
