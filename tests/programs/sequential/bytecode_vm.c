// CIRC: --property asserts
// A stack machine for sensor scripts: fetch, decode, execute, with bounds checks, a call stack and a step limit.
//
// EXPECT: safe asserts
//
// The scripts are fixed; each run ends with the status and the value that the script's text says.
#include <assert.h>
#include <stdint.h>
#include <stddef.h>

enum op { HALT, PUSH, ADD, SUB, MUL, DUP, SWAP, LOAD, STORE, JNZ, JMP, CALL, RET, DROP };
enum status { RUNNING, DONE, STACK_ERROR, BAD_OPCODE, BAD_ADDRESS, OUT_OF_STEPS };

#define STACK 8
#define FRAMES 3
#define MEMORY 4

struct vm {
    const int8_t *code;
    uint8_t size;
    uint8_t pc;
    uint8_t sp;
    uint8_t fp;
    enum status status;
    int32_t stack[STACK];
    uint8_t frames[FRAMES];
    int32_t memory[MEMORY];
};

static const int8_t factorial[] = {
    PUSH, 5, STORE, 0,          /*  0: n = 5 */
    PUSH, 1, STORE, 1,          /*  4: f = 1 */
    LOAD, 1, LOAD, 0, MUL,      /*  8: f * n */
    STORE, 1,                   /* 13 */
    LOAD, 0, PUSH, 1, SUB,      /* 15: n - 1 */
    DUP, STORE, 0,              /* 20 */
    JNZ, 8,                     /* 23 */
    LOAD, 1, HALT,              /* 25 */
};

static const int8_t subroutine[] = {
    PUSH, 7, CALL, 7, CALL, 7, HALT,    /* 0 */
    DUP, ADD, RET,                      /* 7: double the top */
};

static const int8_t underflow[] = { PUSH, 1, ADD, HALT };
static const int8_t endless[] = { JMP, 0 };
static const int8_t unknown_op[] = { 99 };
static const int8_t bad_store[] = { PUSH, 3, STORE, 4, HALT };
static const int8_t deep_calls[] = { CALL, 0 };

static void push(struct vm *m, int32_t v)
{
    if (m->sp == STACK)
        m->status = STACK_ERROR;
    else
        m->stack[m->sp++] = v;
}

static int32_t pop(struct vm *m)
{
    if (m->sp == 0) {
        m->status = STACK_ERROR;
        return 0;
    }
    return m->stack[--m->sp];
}

static int8_t operand(struct vm *m)
{
    if (m->pc >= m->size) {
        m->status = BAD_ADDRESS;
        return 0;
    }
    return m->code[m->pc++];
}

static void jump(struct vm *m, int8_t to)
{
    if (to < 0 || to >= m->size)
        m->status = BAD_ADDRESS;
    else
        m->pc = (uint8_t)to;
}

static int32_t *cell(struct vm *m, int8_t at)
{
    if (at < 0 || at >= MEMORY) {
        m->status = BAD_ADDRESS;
        return NULL;
    }
    return &m->memory[at];
}

static void step(struct vm *m)
{
    int32_t a, b, *c;
    int8_t to;
    int8_t op = operand(m);

    if (m->status != RUNNING)
        return;
    switch (op) {
    case HALT:
        m->status = DONE;
        break;
    case PUSH:
        push(m, operand(m));
        break;
    case ADD: case SUB: case MUL:
        b = pop(m);
        a = pop(m);
        push(m, op == ADD ? a + b : op == SUB ? a - b : a * b);
        break;
    case DUP:
        a = pop(m);
        push(m, a);
        push(m, a);
        break;
    case SWAP:
        b = pop(m);
        a = pop(m);
        push(m, b);
        push(m, a);
        break;
    case DROP:
        (void)pop(m);
        break;
    case LOAD:
        c = cell(m, operand(m));
        if (c)
            push(m, *c);
        break;
    case STORE:
        c = cell(m, operand(m));
        a = pop(m);
        if (c)
            *c = a;
        break;
    case JNZ:
        to = operand(m);
        if (pop(m) != 0)
            jump(m, to);
        break;
    case CALL:
        to = operand(m);
        if (m->fp == FRAMES) {
            m->status = STACK_ERROR;
            break;
        }
        m->frames[m->fp++] = m->pc;
        /* fall through */
    case JMP:
        jump(m, op == CALL ? to : operand(m));
        break;
    case RET:
        if (m->fp == 0)
            m->status = STACK_ERROR;
        else
            m->pc = m->frames[--m->fp];
        break;
    default:
        m->status = BAD_OPCODE;
        break;
    }
}

static enum status run(struct vm *m, const int8_t *code, size_t size)
{
    int steps, i;

    m->code = code;
    m->size = (uint8_t)size;
    m->pc = m->sp = m->fp = 0;
    m->status = RUNNING;
    for (i = 0; i < MEMORY; i++)
        m->memory[i] = 0;
    for (steps = 0; m->status == RUNNING && steps < 100; steps++)
        step(m);
    if (m->status == RUNNING)
        m->status = OUT_OF_STEPS;
    return m->status;
}

static struct vm machine;

int main(void)
{
    assert(run(&machine, factorial, sizeof factorial) == DONE);
    assert(machine.sp == 1 && machine.stack[0] == 120);
    assert(run(&machine, subroutine, sizeof subroutine) == DONE);
    assert(machine.stack[0] == 28 && machine.fp == 0);
    assert(run(&machine, underflow, sizeof underflow) == STACK_ERROR);
    assert(run(&machine, endless, sizeof endless) == OUT_OF_STEPS);
    assert(run(&machine, unknown_op, sizeof unknown_op) == BAD_OPCODE);
    assert(run(&machine, bad_store, sizeof bad_store) == BAD_ADDRESS);
    assert(run(&machine, deep_calls, sizeof deep_calls) == STACK_ERROR);
    return 0;
}
