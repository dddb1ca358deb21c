/* util/delay.h */
#ifndef _CIRC_UTIL_DELAY_H
#define _CIRC_UTIL_DELAY_H

void _delay_ms(double milliseconds);
void _delay_us(double microseconds);

#endif
