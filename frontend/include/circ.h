/* What a program says to circ. With a real compiler the same words compile to nothing or to plain blocks. */
#ifndef CIRC_H
#define CIRC_H

#include <assert.h>

#ifdef __CIRC__

#define circ_thread __attribute__((circ_thread))                     /* any number of threads run this function */
#define circ_threads(n) __attribute__((circ_threads(n)))             /* n threads, numbered in the parameter `self` */
#define circ_interrupt(flag) __attribute__((circ_interrupt(flag)))   /* a handler that fires while `flag` is not 0, not in itself */
#define circ_task __attribute__((circ_task))                         /* a task: runs to its end when posted */

/* Words of the language: `atomic { ... }`, `circ_critical { ... }` (at most one thread inside), and at file level
   `circ_invariant(e);`, `circ_range(x, lo, hi);`, `circ_exception(...);`. */

void assume(_Bool condition);                                        /* go on only if it holds */
int nondet(void);                                                    /* any value */
void circ_invariant(_Bool condition);
int circ_tid(void);                                                  /* the thread's number, never 0; \tid in annotations */
int circ_member(void);                                               /* the same, as a bit of a circ_set */

#else

#define circ_thread
#define circ_threads(n)
#define circ_interrupt(flag)
#define circ_task
#define circ_critical
#define atomic
#define circ_invariant(e) _Static_assert(sizeof(!(e)) > 0, "circ_invariant")
#define circ_range(x, lo, hi) _Static_assert(sizeof((x) >= (lo) && (x) <= (hi)) > 0, "circ_range")
#define circ_exception(...) _Static_assert(1, "circ_exception")

static inline void circ_stop(void) { for (;;) ; }
#define assume(e) ((e) ? (void)0 : circ_stop())
int nondet(void);
int circ_tid(void);
#define circ_member() circ_tid()

#endif
#endif
