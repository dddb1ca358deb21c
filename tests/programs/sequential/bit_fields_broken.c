// CIRC: --property asserts
// Bit fields: a status register image, signed and unsigned fields, fields next to plain members.
//
// EXPECT: violated asserts
//
// A 3-bit field cannot hold 8: it becomes 0, not 8.
#include <assert.h>

struct status {
    unsigned int ready : 1;
    unsigned int mode : 3;
    unsigned int channel : 4;
    signed int trim : 5;
    unsigned char tail;
};

static struct status st;

static void set_mode(struct status *s, unsigned m)
{
    s->mode = m;
}

int main(void)
{
    st.ready = 1;
    st.channel = 0xa;
    st.trim = -3;
    st.tail = 0x77;

    set_mode(&st, 5);
    assert(st.mode == 5 && st.ready == 1 && st.channel == 10);
    set_mode(&st, 8);
    assert(st.mode == 8);
    set_mode(&st, 7);
    st.mode++;
    assert(st.mode == 0);
    st.channel += 7;
    assert(st.channel == 1);
    assert(st.trim == -3);
    st.trim = 15;
    assert(st.trim == 15);
    st.ready ^= 1;
    assert(!st.ready);
    assert(st.tail == 0x77);
    return 0;
}
