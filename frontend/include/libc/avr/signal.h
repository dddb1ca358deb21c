/* avr/signal.h, as old programs include it */
#ifndef _CIRC_AVR_SIGNAL_H
#define _CIRC_AVR_SIGNAL_H

#include <avr/interrupt.h>

#endif
