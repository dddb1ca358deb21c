"""Programs of any size for the measurements; the same text for the same arguments."""

from __future__ import annotations

from collections.abc import Iterator


def state_machine(stages: int, filler: int, racy: bool = False, updates: int = 0) -> str:
    """Threads that pass a token through the values of `state`; who takes it at stage i may touch `x`, then passes it on.

    A proof has to tell the stages apart: it needs a predicate or two for each. `filler` is how many steps each stage does
    that have nothing to do with `x`: half of them on locals, half on another shared variable. `updates`: how often each stage
    also reads `x` and writes it back.
    """
    text = ['#include "circ.h"', "unsigned char state;", "unsigned x, noise;", "", "circ_thread void worker(void)", "{",
            "    unsigned char got;", "    unsigned t, u;", "", "    while (1) {"]
    for i in range(stages):
        last = (2 * i + 2) % (2 * stages)
        access, passed = f"            x = {i + 1};", f"            state = {last};"
        text += ["        atomic {", f"            got = state == {2 * i};", "            if (got) {",
                 f"                state = {2 * i + 1};", "            }", "        }",
                 *_filler(i, filler),
                 "        if (got) {", *(f"            x = x + {n + 1};" for n in range(updates)),
                 *((passed, access) if racy and i == stages - 1 else (access, passed)), "        }"]
    return "\n".join([*text, "    }", "}", ""])


def _filler(stage: int, steps: int) -> Iterator[str]:
    for n in range(steps):
        match n % 4:
            case 0:
                yield f"        t = t * {2 * stage + 3} + {n};"
            case 1:
                yield f"        atomic {{ noise = noise + {n}; }}"
            case 2:
                yield f"        u = t ^ {n + 5};"
            case _:
                yield f"        atomic {{ noise = noise ^ {stage + n}; }}"


def transmitter(states: int) -> str:
    """A byte-by-byte transmitter of that many states, in the manner of FramerM: `busy` is a token that the one who sends a
    byte hands to the handler that fires when it is out; `count` is accessed outside atomic by whoever has it."""
    text = ['#include "circ.h"', "unsigned char tx_state, busy, count;", "",
            "circ_thread void start(void)", "{", "    unsigned char claimed = 0;", "",
            "    atomic {", "        if (tx_state == 0) {", "            tx_state = 1;", "            claimed = 1;",
            "        }", "    }",
            "    if (claimed) {", "        count = 0;", "        atomic { busy = 1; }", "    }", "}", "",
            "circ_thread void done(void)", "{", "    unsigned char had;", "",
            "    atomic {", "        had = busy;", "        busy = 0;", "    }",
            "    if (had) {", "        switch (tx_state) {"]
    for i in range(1, states):
        following = (i + 1) % states
        text += [f"        case {i}:", f"            count = count + {i};", f"            tx_state = {following};"]
        text += ["            atomic { busy = 1; }"] if following else []
        text += ["            break;"]
    return "\n".join([*text, "        }", "    }", "}", ""])


# --------------------------------------------------------------------------------------------------- nesC output
def nesc_program(core: str, lines: int) -> str:
    """`core` (nesc_examples/sense.c) with as many other components, wired into its timer, its task and its `main`, as make
    the file that long: what a whole application has around the few functions that matter."""
    count = max(0, (lines - core.count("\n")) // len(list(_component(0, 2))))
    parts = "\n".join(line for n in range(count) for line in _component(n, count))
    before = '# 75 "apps/Sense/SenseM.nc"\n'
    assert core.count(before) == 1
    text = core.replace(before, parts + "\n" + before)
    for place, calls in (("  *(volatile unsigned char *)(unsigned int )& * (volatile unsigned char *)(0x1B + 0x20) = ", 0),
                         ("  TOS_post(SenseM$sampleTemperature);\n", 1)):
        assert text.count(place) == 1
        wired = "".join(f"  Part{n}M$Control$fired({n % 7});\n" for n in range(calls, count, 2))
        text = text.replace(place, wired + place)
    starts = "".join(f"  Part{n}M$StdControl$init();\n" for n in range(count))
    return text.replace("  TOSH_sched_init();\n", "  TOSH_sched_init();\n" + starts)


def _component(n: int, count: int) -> Iterator[str]:
    """A component that knows its neighbour: some thirty lines, its own state, atomic sections, a buffer, a task now and then."""
    name, other = f"Part{n}M", f"Part{(n + 1) % count if count else 0}M"
    yield f'# 40 "tos/lib/{name}.nc"'
    yield f"enum {name}$__nesc_unnamed{5000 + n} {{ {name}$OFF = 0, {name}$ON = {n % 5 + 1} }};"
    yield f"static uint8_t {name}$state, {name}$level;"
    yield f"static uint16_t {name}$total, {name}$buffer[{4 + n % 3}];"
    yield f"static result_t {name}$Store$put(uint8_t at, uint16_t value);"
    yield f"static result_t {other}$Store$put(uint8_t at, uint16_t value);"
    yield f"#line {60 + n % 9}"
    yield f"static inline result_t {name}$StdControl$init(void )"
    yield "{"
    yield f"  {name}$state = {name}$OFF;"
    yield f"  {name}$level = {n % 11};"
    yield "  return SUCCESS;"
    yield "}"
    yield f"static result_t {name}$Store$put(uint8_t at, uint16_t value)"
    yield "{"
    yield "  {"
    yield "    __nesc_atomic_t __nesc_atomic = __nesc_atomic_start();"
    yield f"    {name}$buffer[at % {4 + n % 3}] = value;"
    yield f"    {name}$total += value;"
    yield "    __nesc_atomic_end(__nesc_atomic);"
    yield "  }"
    yield f"  return value > {n % 13} ? SUCCESS : FAIL;"
    yield "}"
    yield f"#line {90 + n % 9}"
    yield f"static inline result_t {name}$Control$fired(uint8_t port)"
    yield "{"
    yield f"  switch ({name}$level & 3) {{"
    yield "  case 0:"
    yield f"    {name}$level = (uint8_t )({name}$level + port);"
    yield f"    return {other}$Store$put(port, {name}$level);"
    yield "  case 1:"
    yield f"    {name}$level |= 1 << {n % 8};"
    yield "    break;"
    yield "  default:"
    yield f"    {name}$level = 0;"
    yield "  }"
    yield f"  return {name}$Store$put({name}$level, port);"
    yield "}"
