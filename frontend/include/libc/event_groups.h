/* event_groups.h of FreeRTOS: all of it is in FreeRTOS.h */
#ifndef _CIRC_FREERTOS_EVENT_GROUPS_H
#define _CIRC_FREERTOS_EVENT_GROUPS_H
#include <FreeRTOS.h>
#endif
