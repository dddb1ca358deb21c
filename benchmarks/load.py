"""How fast `frontend.load` is: lines per second at 1k, 10k and 50k preprocessed lines, and how the time grows.

The text is what `gcc -E` makes of a real program: half of it declarations that nothing uses, with GNU's attributes, the
rest functions of 20 to 30 lines over structs, arrays, loops and switches, half of which are called from a thread.
"""

from __future__ import annotations

import argparse
import gc
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import frontend

SIZES = (1_000, 10_000, 50_000)
LIMIT = 7.0
"""The growth from 10k to 50k lines that must not be exceeded (linear would be 5)."""


def program(lines: int, seed: int = 1) -> str:
    """A C file of about that many lines after preprocessing; the same for the same arguments."""
    rng = random.Random(seed)
    text = ['# 1 "generated.c"', *_head()]
    header = 0
    while len(text) < lines // 2:
        text += _declarations(rng, header)
        header += 1
    text.append('# 5 "generated.c" 2')
    modules = []
    while len(text) < lines - 12:
        text += _module(rng, len(modules))
        modules.append(len(modules))
    used = modules[::2]
    text += ["void worker(void)", "{", "    unsigned key = 0;", "    while (1) {", "        key = key + 1;"]
    text += [f"        if (key % {len(used) + 1}u == {i}u) step_{m}(key);" for i, m in enumerate(used)]
    return "\n".join([*text, "    }", "}", ""])


def _head() -> Iterator[str]:
    yield "typedef unsigned char uint8_t;"
    yield "typedef unsigned int uint32_t;"
    yield "typedef unsigned long size_t;"


def _declarations(rng: random.Random, n: int) -> Iterator[str]:
    yield f'# {rng.randrange(10, 900)} "/usr/include/part{n}.h" 1 3 4'
    yield f"struct opaque_{n};"
    yield f"typedef struct opaque_{n} *handle_{n};"
    yield f"struct record_{n}"
    yield "{"
    yield "  int kind;"
    yield f"  struct record_{n} *next;"
    yield "  union { long number; char text[16]; } value;"
    yield "};"
    yield f"typedef enum {{ FIRST_{n}, SECOND_{n} = {rng.randrange(2, 50)}, THIRD_{n} }} kind_{n};"
    for i in range(6):
        yield f"extern int operation_{n}_{i} (handle_{n} __h, const char *__restrict __s, size_t __n)"
        yield "     __attribute__ ((__nothrow__ , __leaf__)) __attribute__ ((__nonnull__ (1, 2)));"
    yield f"static __inline int helper_{n} (int __a, int __b)"
    yield "{"
    yield f"  return __extension__ (__a < __b ? __a : __b) + {rng.randrange(9)};"
    yield "}"


def _module(rng: random.Random, n: int) -> Iterator[str]:
    a, b, c = rng.randrange(1, 9), rng.randrange(10, 99), rng.choice([4, 8, 16])
    yield f"struct queue_{n} {{ uint8_t head; uint8_t tail; uint32_t data[{c}]; }};"
    yield f"static struct queue_{n} queue_{n};"
    yield f"static uint32_t total_{n}, state_{n};"
    yield f"static uint32_t mix_{n}(uint32_t a, uint32_t b)"
    yield "{"
    yield f"    uint32_t r = a ^ (b << {a});"
    yield f"    if (r > {b}u && a != b)"
    yield f"        r -= {b}u;"
    yield f"    return r * {2 * a + 1}u;"
    yield "}"
    yield f"void step_{n}(uint32_t key)"
    yield "{"
    yield f"    struct queue_{n} *q = &queue_{n};"
    yield "    uint32_t i, sum = 0;"
    yield f"    for (i = 0; i < {c}u; i++) {{"
    yield "        sum += q->data[i];"
    yield "        if (sum == key)"
    yield "            break;"
    yield "    }"
    yield f"    switch (state_{n}) {{"
    yield "    case 0:"
    yield f"        q->data[q->head] = mix_{n}(key, sum);"
    yield f"        q->head = (uint8_t)((q->head + 1) % {c});"
    yield f"        state_{n} = 1;"
    yield "        break;"
    yield "    case 1:"
    yield f"        total_{n} += sum;"
    yield "        /* fall through */"
    yield "    default:"
    yield f"        state_{n} = 0;"
    yield "    }"
    yield "}"


def measure(lines: int, repeat: int) -> tuple[int, float]:
    """The lines of the generated file and the best of several times to load it."""
    text = program(lines)
    best = float("inf")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"generated{lines}.i")
        path.write_text(text)
        for _ in range(repeat):
            gc.collect()
            start = time.perf_counter()
            frontend.load(path, frontend.LoadOptions(threads=("worker",)))
            best = min(best, time.perf_counter() - start)
    return text.count("\n"), best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=1)
    repeat = parser.parse_args().repeat
    measure(SIZES[0], 1)  # warm up: tables are built on the first use
    print(f"{'lines':>8} {'seconds':>9} {'lines/s':>9} {'growth':>7}")
    before = 0.0
    for size in SIZES:
        lines, seconds = measure(size, repeat)
        growth = f"{seconds / before:6.1f}x" if before else ""
        print(f"{lines:>8} {seconds:>9.2f} {lines / seconds:>9.0f} {growth:>7}")
        last, before = (seconds / before if before else 0.0), seconds
    print(f"10k to 50k lines: {last:.1f}x (limit {LIMIT:g}x): {'ok' if last <= LIMIT else 'TOO SLOW'}")
    raise SystemExit(last > LIMIT)


if __name__ == "__main__":
    main()
