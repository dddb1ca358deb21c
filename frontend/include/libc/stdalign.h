/* stdalign.h */
#ifndef _CIRC_STDALIGN_H
#define _CIRC_STDALIGN_H

#define alignas _Alignas
#define alignof _Alignof

#endif
