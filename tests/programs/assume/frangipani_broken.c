// A time-varying mutex in which the block is not marked as busy.
// CIRC: --engine assume-guarantee --property asserts
// EXPECT: violated asserts
#include <circ_locks.h>

int block, m_inode, m_busy;
_Bool busy, inode;

//@ assumes m_inode == \tid ==> m_inode' == \tid && inode' == inode;
//@ assumes m_busy == \tid ==> m_busy' == \tid && busy' == busy;
//@ assumes busy && m_inode == \tid ==> block' == block;
//@ assumes !busy && m_busy == \tid ==> block' == block;
//@ assumes m_inode == \tid && busy ==> busy';
//@ invariant m_inode == 0 && inode ==> busy;

circ_threads(1) void thread1(void) {
    acq(m_inode);
    if (!inode) {
        acq(m_busy);
        rel(m_busy);
        inode = 1;
    }
    block = 1;
    assert(block == 1);
    rel(m_inode); // FAILS invariant
}

circ_threads(1) void thread2(void) {
    acq(m_busy);
    if (!busy) {
        block = 0;
        assert(block == 0);
    }
    rel(m_busy);
}
