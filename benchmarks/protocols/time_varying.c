// CIRC: --property all
// EXPECT: safe block
// EXPECT: safe asserts
// The time-varying mutex of "Thread-Modular Verification for Shared-Memory Programs", section 6.3 (from Frangipani): what
// protects the block depends on whether it is allocated.
#include "circ.h"

_Bool block, busy, inode;
_Bool m_inode, m_busy;

circ_threads(1) void allocate(void)
{
    atomic { assume(!m_inode); m_inode = 1; }
    if (!inode) {
#ifdef BROKEN
        busy = 1;
#else
        atomic { assume(!m_busy); m_busy = 1; }
        busy = 1;
        m_busy = 0;
#endif
        inode = 1;
    }
    block = 1;
    assert(block == 1);
    m_inode = 0;
}

circ_threads(1) void clear(void)
{
    atomic { assume(!m_busy); m_busy = 1; }
    if (!busy) {
        block = 0;
        assert(block == 0);
    }
    m_busy = 0;
}
