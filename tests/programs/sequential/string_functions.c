// CIRC: --property asserts
// memcpy, memset, memcmp, strlen, strcmp on fixed buffers.
//
// EXPECT: safe asserts
//
// The C library's common functions do what the standard says.
#include <assert.h>
#include <string.h>

struct packet {
    unsigned char kind;
    unsigned char body[6];
};

static struct packet out, in;

int main(void)
{
    static const unsigned char payload[4] = { 1, 2, 3, 4 };
    char name[8];

    memset(&out, 0, sizeof out);
    out.kind = 7;
    memcpy(out.body, payload, sizeof payload);
    assert(out.body[0] == 1 && out.body[3] == 4 && out.body[4] == 0);
    in = out;
    assert(memcmp(&in, &out, sizeof in) == 0);
    in.body[5]++;
    assert(in.body[5] == 1 && out.body[5] == 0);
    strcpy(name, "radio");
    assert(strlen(name) == 5);
    assert(strcmp(name, "radio") == 0);
    assert(strcmp(name, "radix") < 0);
    return 0;
}
