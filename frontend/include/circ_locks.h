/* Locks for annotated programs (docs/verify.md), apart from circ.h because programs like to have functions of these names. */
#ifndef CIRC_LOCKS_H
#define CIRC_LOCKS_H

#include "circ.h"

/* Locks as Flanagan, Freund and Qadeer define them: a lock is an int that is 0 or holds the number of its owner; a lock for
   readers and a writer is a pair of such an int and the set of its readers. Each of these is one step. */
typedef unsigned long long circ_set;

#define acq(m)           do atomic { assume((m) == 0); (m) = circ_tid(); } while (0)
#define rel(m)           do atomic { assert((m) == circ_tid()); (m) = 0; } while (0)
#define acq_write(w, r)  do atomic { assume((w) == 0 && (r) == 0); (w) = circ_tid(); } while (0)
#define rel_write(w, r)  do atomic { assert((w) == circ_tid()); (w) = 0; } while (0)
#define acq_read(w, r)   do atomic { assume((w) == 0 && circ_member() < 64); (r) |= 1ull << circ_tid(); } while (0)
#define rel_read(w, r)   do atomic { assert((r) >> circ_tid() & 1); (r) &= ~(1ull << circ_tid()); } while (0)

#endif
