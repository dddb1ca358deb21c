/* stdnoreturn.h */
#ifndef _CIRC_STDNORETURN_H
#define _CIRC_STDNORETURN_H

#define noreturn _Noreturn

#endif
