/* queue.h of FreeRTOS: all of it is in FreeRTOS.h */
#ifndef _CIRC_FREERTOS_QUEUE_H
#define _CIRC_FREERTOS_QUEUE_H
#include <FreeRTOS.h>
#endif
