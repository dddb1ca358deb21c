/* avr/pgmspace.h */
#ifndef _CIRC_AVR_PGMSPACE_H
#define _CIRC_AVR_PGMSPACE_H

#include <stdint.h>
#define PROGMEM __attribute__((progmem))
#define PSTR(text) (text)
#define pgm_read_byte(address) (*(const uint8_t *)(address))
#define pgm_read_word(address) (*(const uint16_t *)(address))
#define pgm_read_dword(address) (*(const uint32_t *)(address))

#endif
