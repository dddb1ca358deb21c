// CIRC: --property asserts
// A command decoder built on switch with fall-through, default in the middle, and nested switches.
//
// EXPECT: violated asserts
//
// The missing break after OP_NEG lets it fall into OP_CLEAR, so the accumulator is 0 instead of -5.
#include <assert.h>

enum opcode { OP_NOP, OP_LOAD, OP_ADD, OP_ADD2, OP_NEG, OP_CLEAR, OP_HALT = 20, OP_BAD };

static int acc;
static int halted;

static int execute(enum opcode op, int arg)
{
    int cost = 1;

    switch (op) {
    case OP_LOAD:
        acc = arg;
        break;
    case OP_ADD2:
        acc += arg;
        cost++;
        /* fall through */
    case OP_ADD:
        acc += arg;
        cost++;
        break;
    default:
        cost = -1;
        break;
    case OP_NEG:
        acc = -acc;
    case OP_CLEAR:
        acc = 0;
        break;
    case OP_NOP:
        switch (arg & 3) {
        case 0:
            cost = 0;
            break;
        case 1: case 2:
            cost = 2;
        }
        break;
    case OP_HALT:
        halted = 1;
        return 0;
    }
    return cost;
}

int main(void)
{
    assert(execute(OP_LOAD, 5) == 1);
    assert(acc == 5);
    assert(execute(OP_ADD2, 10) == 3 && acc == 25);
    assert(execute(OP_ADD, -20) == 2 && acc == 5);
    execute(OP_NEG, 0);
    assert(acc == -5);
    assert(execute(OP_NOP, 4) == 0);
    assert(execute(OP_NOP, 6) == 2);
    assert(execute(OP_NOP, 7) == 1);
    assert(execute(OP_BAD, 0) == -1);
    assert(!halted);
    assert(execute(OP_HALT, 0) == 0);
    assert(halted);
    return 0;
}
