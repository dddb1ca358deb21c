/* semphr.h of FreeRTOS: all of it is in FreeRTOS.h */
#ifndef _CIRC_FREERTOS_SEMPHR_H
#define _CIRC_FREERTOS_SEMPHR_H
#include <FreeRTOS.h>
#endif
