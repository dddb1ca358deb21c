/* util/atomic.h */
#ifndef _CIRC_UTIL_ATOMIC_H
#define _CIRC_UTIL_ATOMIC_H

#include <avr/interrupt.h>
#define ATOMIC_RESTORESTATE atomic
#define ATOMIC_FORCEON for (int __circ_once = (cli(), 1); __circ_once; __circ_once = (sei(), 0))
#define ATOMIC_BLOCK(kind) kind

#endif
