"""Nested preemption as guards and ghosts, against a search that keeps an explicit stack of who interrupted whom."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from circ.run.check import check
from circ.run.supervise import Limits
from circ.search.explicit import oracle
from circ.verdict import RaceOn, Refuted, Safe
from frontend import LoadOptions, load

VARIABLES = ("x", "y", "f")
COPIES = 3

# A statement: ("set", v, c), ("get", v), ("if", v, statement), ("atomic", *statements), ("cli",), ("sei",), ("saved", *statements): the
# interrupt state is saved, interrupts are off, and it is restored; ("section", *statements): nesC's, in which interrupts may be
# switched. On the stack those become ("inside", statement) and ("restore", on), with "section" in a section.
Statement: TypeAlias = tuple
Body: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True)
class Handler:
    """`kind`: signal, interrupt, flag (circ_interrupt on f), task, or a number: the priority that a table gives."""

    name: str
    kind: str | int
    body: Body


@dataclass(frozen=True)
class Small:
    main: Body
    handlers: tuple[Handler, ...]


# --------------------------------------------------------------------------------------------------- as C
def c_text(program: Small) -> str:
    lines = ['#include "circ.h"', "void cli(void); void sei(void);",
             "unsigned __get_PRIMASK(void); void __set_PRIMASK(unsigned); void __disable_irq(void);",
             "unsigned char __nesc_atomic_start(void); void __nesc_atomic_end(unsigned char);", *(f"unsigned char {v} = {int(v == 'f')};" for v in VARIABLES)]
    marks = {"signal": "__attribute__((signal))", "interrupt": "__attribute__((interrupt))", "flag": "circ_interrupt(f)",
             "task": "circ_task"}
    for h in program.handlers:
        lines += [f"{marks.get(str(h.kind), '')} void {h.name}(void) {{ unsigned char t;", *map(c_statement, h.body), "}"]
    return "\n".join([*lines, "int main(void) { unsigned char t;", "for (;;) {", *map(c_statement, program.main), "} }", ""])


def c_statement(s: Statement) -> str:
    match s:
        case ("set", v, c):
            return f"{v} = {c};"
        case ("get", v):
            return f"t = {v};"
        case ("if", v, then):
            return f"if ({v}) {{ {c_statement(then)} }}"
        case ("atomic", *body):
            return f"atomic {{ {' '.join(map(c_statement, body))} }}"
        case ("saved", *body):
            inner = " ".join(map(c_statement, body))
            return f"{{ unsigned p = __get_PRIMASK(); __disable_irq(); {inner} __set_PRIMASK(p); }}"
        case ("section", *body):
            inner = " ".join(map(c_statement, body))
            return f"{{ unsigned char s = __nesc_atomic_start(); {inner} __nesc_atomic_end(s); }}"
        case (name,):
            return f"{name}();"
    raise AssertionError(s)


def table(program: Small) -> tuple[str, ...]:
    ranked = [h for h in program.handlers if isinstance(h.kind, int)]
    return ("t.toml", "\n".join(f'[[handler]]\nname = "{h.name}"\npriority = {h.kind}' for h in ranked)) if ranked else ()


# --------------------------------------------------------------------------------------------------- an explicit stack
Frame: TypeAlias = tuple[int, Body]
"""Who runs (0 is main, then the handlers), and what it has yet to do."""
State: TypeAlias = tuple[tuple[int, ...], bool, tuple[Frame, ...]]


def races(program: Small, variable: str, limit: int = 30_000) -> bool | None:
    """Whether two activations on one stack can be about to make conflicting accesses; None if that is too much to search."""
    bodies = (program.main, *(h.body for h in program.handlers))
    start: State = (tuple(int(v == "f") for v in VARIABLES), not any(("sei",) in (s, *s[1:]) for s in program.main),
                    ((0, program.main),))
    seen, work = {start}, [start]
    while work:
        state = work.pop()
        if _conflict(state, variable):
            return True
        for after in _steps(program, bodies, state):
            if after not in seen:
                seen.add(after)
                work.append(after)
        if len(seen) > limit:
            return None
    return False


def _conflict(state: State, variable: str) -> bool:
    _, on, stack = state
    near = [_next_access(rest) for _, rest in stack[:-1]]
    match stack[-1][1]:
        case (("inside", _), *_) if not on:
            pass  # in an atomic section
        case rest:
            near.append(_next_access(rest))
    mine = [a for a in near if a is not None and a[0] == variable]
    return len(mine) > 1 and any(write for _, write in mine)


def _next_access(rest: Body) -> tuple[str, bool] | None:
    match rest:
        case (("set", v, _), *_):
            return v, True
        case (("get", v) | ("if", v, _), *_):
            return v, False
        case (("inside", inner), *_):
            return _next_access((inner,))
    return None


def _steps(program: Small, bodies: tuple[Body, ...], state: State) -> Iterator[State]:
    values, on, stack = state
    for number, handler in enumerate(program.handlers, 1):
        if _may_start(program, handler, number, values, on, stack):
            yield values, on and handler.kind != "signal", (*stack, (number, bodies[number]))
    who, rest = stack[-1]
    if not rest:
        if who == 0:
            yield values, on, ((0, program.main),)
        else:
            returns_on = program.handlers[who - 1].kind in ("signal", "interrupt")
            yield values, on or returns_on, stack[:-1]
        return
    values, on, more = _run(values, on, rest[0])
    yield values, on, (*stack[:-1], (who, (*more, *rest[1:])))


def _run(values: tuple[int, ...], on: bool, s: Statement) -> tuple[tuple[int, ...], bool, Body]:
    match s:
        case ("set", v, c):
            return tuple(c if name == v else old for name, old in zip(VARIABLES, values, strict=True)), on, ()
        case ("if", v, then):
            return values, on, (then,) if values[VARIABLES.index(v)] else ()
        case ("atomic", *body):
            work = list(body)
            while work:
                values, on, more = _run(values, on, work.pop(0))
                work = [*more, *work]
            return values, on, ()
        case ("saved" | "section" as kind, *body):
            inner = body if kind == "saved" else (("inside", part) for part in body)
            return values, False, (*inner, ("restore", on, "section")[:2 + (kind == "section")])
        case ("inside", inner):
            return _run(values, on, inner)
        case ("restore", before, *_):
            return values, before, ()
        case ("cli",):
            return values, False, ()
        case ("sei",):
            return values, True, ()
    return values, on, ()


def _may_start(program: Small, handler: Handler, number: int, values: tuple[int, ...], on: bool, stack: tuple[Frame, ...]) -> bool:
    active = [who for who, _ in stack]
    if handler.kind == "task":
        rest = stack[-1][1]
        atomic = not on and bool(rest) and (rest[0][0] == "inside" or (rest[0][0] == "restore" and len(rest[0]) == 3))
        return active == [0] and not atomic
    if not on or (handler.kind == "flag" and not values[VARIABLES.index("f")]):
        return False
    if isinstance(handler.kind, int):
        return all(not isinstance(p := program.handlers[who - 1].kind, int) or p < handler.kind for who in active if who)
    copies = sum(who > 0 and unbounded(program.handlers[who - 1]) for who in active)
    return copies < COPIES if unbounded(handler) else number not in active


def unbounded(handler: Handler) -> bool:
    inside = {s[0] for part in handler.body for s in (part, *part[1:]) if isinstance(s, tuple)}
    return handler.kind == "interrupt" or (handler.kind == "signal" and "sei" in inside)


# --------------------------------------------------------------------------------------------------- random programs
def random_program(r: random.Random) -> Small:
    def simple() -> Statement:
        kind = r.choice(("set", "set", "get"))
        v = r.choice(VARIABLES)
        return ("set", v, r.randrange(2)) if kind == "set" else ("get", v)

    def statement() -> Statement:
        match r.randrange(10):
            case 8:
                return ("saved", simple(), simple())
            case 9:
                return ("section", *(r.choice((simple(), simple(), ("sei",), ("cli",))) for _ in range(r.randint(1, 4))))
            case 0:
                return ("if", r.choice(VARIABLES), simple())
            case 1:
                return ("atomic", simple(), simple())
            case 2:
                return ("cli",)
            case 3:
                return ("sei",)
        return simple()

    def body(most: int) -> Body:
        return tuple(statement() for _ in range(r.randint(1, most)))

    ranked = r.random() < 0.25
    kinds: tuple[str | int, ...] = (1, 2, 2) if ranked else ("signal", "signal", "interrupt", "flag", "task")
    handlers = [Handler(f"h{n}", r.choice(kinds), body(3)) for n in range(r.randint(1, 2))]
    main = body(4)
    if r.random() < 0.5:
        main = (("cli",), simple(), ("sei",), *main[:2])
    return Small(main, tuple(handlers))


@pytest.mark.parametrize("seed", range(60))
def test_the_encoding_has_the_races_of_an_explicit_stack(seed: int, tmp_path: Path) -> None:
    small = random_program(random.Random(seed))
    path = tmp_path / "p.c"
    path.write_text(c_text(small))
    program = load(path, LoadOptions(interrupts=table(small), preemption="nested"))
    for v in VARIABLES:
        expected = races(small, v)
        copies = COPIES if any(t.count is None for t in program.templates) else 0
        found = oracle(program, RaceOn(v), copies)
        assert None in (expected, found) or expected == found, f"{v}: stack {expected}, encoding {found}\n{c_text(small)}"


@pytest.mark.parametrize("seed", range(100, 112))
def test_free_preemption_has_every_race_of_nested_and_proofs_are_accepted(seed: int, tmp_path: Path) -> None:
    small = random_program(random.Random(seed))
    path = tmp_path / "p.c"
    path.write_text(c_text(small))
    nested, free = (check(load(path, LoadOptions(interrupts=table(small), preemption=p)), list(VARIABLES),
                          limits=Limits(timeout=3)).answers
                    for p in ("nested", "free"))
    for a, b in zip(nested, free, strict=True):
        assert not (isinstance(a.verdict, Refuted) and isinstance(b.verdict, Safe)), a.shown
        expected = races(small, a.shown)
        assert expected is not True or not isinstance(a.verdict, Safe), c_text(small)
        assert expected is not False or not isinstance(a.verdict, Refuted), c_text(small)
        assert not getattr(a.verdict, "bug", None) and not getattr(b.verdict, "bug", None)
