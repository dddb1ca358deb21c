/* setjmp.h; what the functions do is in frontend/threads/long_jumps.py. */
#ifndef _CIRC_SETJMP_H
#define _CIRC_SETJMP_H

typedef struct { long __circ_registers[__SIZEOF_LONG__ == 8 ? 25 : 39]; } jmp_buf[1];
int setjmp(jmp_buf where);
int _setjmp(jmp_buf where);
_Noreturn void longjmp(jmp_buf where, int value);
_Noreturn void _longjmp(jmp_buf where, int value);
typedef jmp_buf sigjmp_buf;
int sigsetjmp(sigjmp_buf where, int save_mask);
_Noreturn void siglongjmp(sigjmp_buf where, int value);

#endif
