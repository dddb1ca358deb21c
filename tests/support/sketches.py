"""Sketches of automata from text, at random, and what others can see of them: for tests of passes over sketches."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from frontend.memory.sketch import SectionMark, Sketch, SketchStep
from frontend.program import (
    NOWHERE,
    Access,
    Assign,
    Assume,
    Const,
    Element,
    ErrorKind,
    ErrorLocation,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Var,
    name_of,
    op_reads,
    op_writes,
    primitive,
    substitute,
)
from frontend.program.fold import fold
from tests.support.build import op, variable

MARKS = {"begin": SectionMark.ATOMIC_BEGIN, "end": SectionMark.ATOMIC_END, "critical": SectionMark.CRITICAL_BEGIN, "uncritical": SectionMark.CRITICAL_END}


def sketch(shared: str, own: str, edges: str, errors: Iterable[int] = ()) -> Sketch:
    """Steps like those of `tests.support.build`; an operation may be a mark: `0 1 begin / 1 2 x = 1 / 2 3 end`."""
    names = [variable(v).name for v in shared.split()]
    scope = {v.name: v for v in map(variable, (*shared.split(), *own.split()))}
    made = Sketch(errors={q: ErrorLocation(ErrorKind.ASSERT, NOWHERE, "assert") for q in errors})
    for line in edges.split("/"):
        source, target, *rest = line.split(None, 2)
        text = rest[0].strip() if rest else ""
        o = op("" if text in MARKS else text, scope)
        reads = [Access(v, False) for v in dict.fromkeys(op_reads(o)) if name_of(v) in names]
        writes = [Access(v, True) for v in targets(o) if name_of(v) in names]
        made.steps.append(SketchStep(int(source), int(target), o, (*reads, *writes), mark=MARKS.get(text)))
    made.size = 1 + max(q for s in made.steps for q in (s.source, s.target))
    return made


def targets(o: Op) -> Iterator[Lvalue]:
    for part in primitive(o):
        match part:
            case Assign(target=t):
                yield t
            case Havoc(targets=ts):
                yield from ts


def texts(graph: Sketch) -> list[str]:
    """The steps as text, for messages."""
    return [f"{s}{' p' if s.protected else ''}" for s in graph.steps]


# --------------------------------------------------------------------------------------------------- random ones
def random_sketch(rng: random.Random, statements: int = 7) -> Sketch:
    """Registers r and s, temporaries t and u, shared x and y: assignments, choices, tests that never block, loops."""
    lines: list[str] = []
    size = statements + 1
    for q in range(statements):
        a, b = rng.choice("rstu"), rng.choice("rstu")
        onwards = rng.randrange(size) if rng.random() < 0.3 else q + 1
        match rng.randrange(9):
            case 0:
                lines.append(f"{q} {onwards} {a} = {rng.choice('xy')}")
            case 1:
                lines.append(f"{q} {onwards} {rng.choice('xy')} = {a}")
            case 2:
                lines.append(f"{q} {onwards} {a} = {b} + {rng.randrange(3)}")
            case 3:
                lines.append(f"{q} {onwards} {a} = {rng.randrange(3)}")
            case 4:
                lines.append(f"{q} {onwards} skip")
            case 5:
                lines.append(f"{q} {onwards} {a} = *")
            case 6:
                lines.append(f"{q} {onwards} {a} = {rng.choice(('*', '1', b))}; {rng.choice('rstu')} = {rng.choice('rstu')} + {a}")
            case 7:
                lines += [f"{q} {q + 1} skip", f"{q} {rng.randrange(size)} {rng.choice(('skip', 'x = 1', f'{a} = 2'))}"]
            case _:
                value = rng.randrange(3)
                lines += [f"{q} {q + 1} [{a} == {value}]", f"{q} {onwards} [{a} != {value}]"]
    return sketch("x:u2 y:u2", "r:u2 s:u2 t:u2 u:u2", " / ".join(lines), [size - 1] if rng.random() < 0.5 else [])


# --------------------------------------------------------------------------------------------------- what others see
Event: TypeAlias = tuple[tuple[tuple[str, bool, bool], ...], tuple[int, ...], tuple[int, ...]]
"""The accesses of a step (variable, write, protected), what it read, what it wrote."""


def seen(graph: Sketch, own: Mapping[str, int], shared: Iterable[str], most: int = 3) -> set[tuple[Event | str, ...]]:
    """All sequences of up to `most` accesses that others can see; shared variables may have any value whenever they are read.

    An error location that is reached ends a sequence. Variables have two bits.
    """
    out = graph.leaving()
    names = frozenset(shared)
    first = tuple(sorted(own.items()))
    found: set[tuple[Event | str, ...]] = set()
    states = {(graph.start, first, ())}
    work: list[tuple[int, tuple[tuple[str, int], ...], tuple[Event | str, ...]]] = [(graph.start, first, ())]
    while work:
        here, values, past = work.pop()
        found.add(past)
        if here in graph.errors:
            found.add((*past, "error"))
            continue
        for step in out[here]:
            for event, after in _effects(step, dict(values), names):
                now = past if event is None else (*past, event)
                state = (step.target, tuple(sorted(after.items())), now)
                if len(now) <= most and state not in states:
                    states.add(state)
                    work.append(state)
    return found


def _effects(step: SketchStep, own: dict[str, int], shared: frozenset[str]) -> Iterator[tuple[Event | None, dict[str, int]]]:
    """What a step may do: the event, and the thread's own variables behind it."""
    read = sorted({name_of(v) for v in op_reads(step.op)} & shared)
    for given in itertools.product(range(4), repeat=len(read)):
        for values in _run(list(primitive(step.op)), own | dict(zip(read, given, strict=True))):
            written = tuple(values[n] for n in sorted(set(op_writes(step.op)) & shared))
            accesses = tuple(sorted({(a.variable, a.write, step.protected) for a in step.accesses}))
            event = (accesses, given, written) if accesses else None
            yield event, {n: v for n, v in values.items() if n in own}


def _run(ops: list[Op], values: dict[str, int]) -> Iterator[dict[str, int]]:
    if not ops:
        yield values
        return
    match ops[0]:
        case Assume(cond=c):
            if value(c, values):
                yield from _run(ops[1:], values)
        case Assign(target=Var(name=n), value=e):
            yield from _run(ops[1:], {**values, n: value(e, values)})
        case Havoc(targets=(Var(name=n), *rest)):
            for v in range(4):
                yield from _run([replace(ops[0], targets=tuple(rest)), *ops[1:]], {**values, n: v})
        case Havoc():
            yield from _run(ops[1:], values)
        case other:
            raise AssertionError(other)


def value(e: Expr, values: Mapping[str, int]) -> int:
    def known(v: Lvalue) -> Expr | None:
        assert not isinstance(v, Element)
        return Const(values[v.name], v.type)

    folded = fold(substitute(e, known))
    assert isinstance(folded, Const), folded
    return folded.value


