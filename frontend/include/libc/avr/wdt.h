/* avr/wdt.h */
#ifndef _CIRC_AVR_WDT_H
#define _CIRC_AVR_WDT_H

#define WDTO_15MS 0
#define WDTO_1S 6
#define WDTO_2S 7
void wdt_reset(void);
void wdt_enable(int timeout);
void wdt_disable(void);

#endif
