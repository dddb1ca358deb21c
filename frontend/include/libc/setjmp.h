/* setjmp.h; a long jump is refused where it is used, these are the declarations. */
#ifndef _CIRC_SETJMP_H
#define _CIRC_SETJMP_H

typedef struct { long __circ_registers[8]; } jmp_buf[1];
int setjmp(jmp_buf where);
_Noreturn void longjmp(jmp_buf where, int value);

#endif
