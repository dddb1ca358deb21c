"""All reachable states of a tiny program by plain search, written apart from the kernel and its solver: the attack's judge.

Scalars only, of few bits. `racy` and `wrong` answer for given numbers of threads; `pair_facts` turns the states into a
certificate, each row the list of all values that occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

from circ.semantics.conflicts import conflict
from circ.verdict import Certificate, Question
from frontend.program import (
    AllAt,
    Arbitrary,
    Assign,
    Assume,
    Binary,
    Cast,
    Const,
    Edge,
    Expr,
    Havoc,
    Ite,
    Op,
    Program,
    Read,
    Scalar,
    Unary,
    Values,
    Var,
    Variable,
    primitive,
)

Thread: TypeAlias = tuple[int, int, tuple[int, ...]]
"""Template, location, locals."""
State: TypeAlias = tuple[tuple[int, ...], tuple[Thread, ...]]


def value(e: Expr, env: Mapping[str, int]) -> int:
    match e:
        case Const(value=v):
            return v
        case Read(lvalue=Var(name=n)):
            return env[n]
        case Unary(op="!", arg=a):
            return int(not value(a, env))
        case Unary(op=op, arg=a):
            return e.type.wrap(-value(a, env) if op == "-" else ~value(a, env))
        case Cast(arg=a, type=t):
            return int(value(a, env) != 0) if t == Scalar(1, False) else t.wrap(value(a, env))
        case Ite(cond=c, then=a, other=b):
            return value(a if value(c, env) else b, env)
        case Binary(op=op, left=a, right=b):
            x, y = value(a, env), value(b, env)
            table = {"==": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "&&": bool(x and y),
                     "||": bool(x or y), "+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y}
            return int(table[op]) if isinstance(table[op], bool) else e.type.wrap(table[op])
    raise AssertionError(e)


def starts(variables: Sequence[Variable]) -> Iterator[tuple[int, ...]]:
    yield from product(*(_start(v) for v in variables))


def _start(v: Variable) -> Sequence[int]:
    match v.start:
        case Values(default=d):
            return (d,)
        case Arbitrary():
            return range(v.type.low, v.type.high + 1)
    raise AssertionError(v)


class Brute:
    """The reachable states with `numbers[t]` threads of template t; None if there are more than `limit`."""

    def __init__(self, program: Program, numbers: Sequence[int], limit: int = 20_000) -> None:
        self.program = program
        self.globals = [v.name for v in program.globals]
        self.locals = [[v.name for v in t.locals] for t in program.templates]
        self.leaving = [t.cfa.leaving() for t in program.templates]
        self.names = [t.name for t in program.templates]
        seats = [t for t, n in enumerate(numbers) for _ in range(n)]
        self.states: dict[State, None] = {}
        todo: list[State] = []
        for g in starts(program.globals):
            for ls in product(*(list(starts(program.templates[t].locals)) for t in seats)):
                threads = [(t, program.templates[t].cfa.start, local) for t, local in zip(seats, ls, strict=True)]
                todo.append((g, tuple(sorted(threads))))
        self.complete = True
        while todo:
            state = todo.pop()
            if state in self.states:
                continue
            self.states[state] = None
            if len(self.states) > limit:
                self.complete = False
                return
            todo.extend(self.successors(state))

    def atomic(self, thread: Thread) -> bool:
        return thread[1] in self.program.templates[thread[0]].cfa.atomic

    def successors(self, state: State) -> Iterator[State]:
        g, threads = state
        for i, (t, q, local) in enumerate(threads):
            others = (*threads[:i], *threads[i + 1:])
            if any(map(self.atomic, others)):
                continue
            for e in self.leaving[t][q]:
                env = dict(zip((*self.globals, *self.locals[t]), (*g, *local), strict=True))
                for after in self.run(e.op, env, others):
                    moved = (t, e.target, tuple(after[n] for n in self.locals[t]))
                    yield tuple(after[n] for n in self.globals), tuple(sorted((*others, moved)))

    def run(self, op: Op, env: dict[str, int], others: Sequence[Thread]) -> list[dict[str, int]]:
        envs = [env]
        for part in primitive(op):
            match part:
                case Assume(cond=c):
                    envs = [v for v in envs if value(c, v)]
                case Assign(target=Var(name=n), value=e):
                    envs = [{**v, n: value(e, v)} for v in envs]
                case Havoc(targets=targets):
                    for x in targets:
                        assert isinstance(x, Var)
                        envs = [{**v, x.name: k} for v in envs for k in range(x.type.low, x.type.high + 1)]
                case AllAt(template=name, locations=where):
                    if any(self.names[t] == name and q not in where for t, q, _ in others):
                        envs = []
                case _:
                    raise AssertionError(part)
        return envs

    def pairs(self, state: State) -> Iterator[tuple[Thread, Thread, tuple[Thread, ...]]]:
        """Ordered pairs of distinct threads, with the rest."""
        threads = state[1]
        for i, one in enumerate(threads):
            for j, two in enumerate(threads):
                if i != j:
                    yield one, two, tuple(t for k, t in enumerate(threads) if k not in (i, j))

    def racy(self, variable: str) -> bool:
        return any(self.conflict(variable, one, two) for state in self.states for one, two, _ in self.pairs(state))

    def conflict(self, variable: str, one: Thread, two: Thread) -> bool:
        def next_(thread: Thread) -> Iterator[tuple[Edge, Any]]:
            return ((e, a) for e in self.leaving[thread[0]][thread[1]] for a in e.accesses if a.variable == variable)
        return any(conflict(self.program.race_model, e, a, f, b) for e, a in next_(one) for f, b in next_(two))

    def wrong(self) -> bool:
        """Whether an error location, two critical ones, or a state outside an invariant is reached."""
        for state in self.states:
            env = dict(zip(self.globals, state[0], strict=True))
            cfas = [self.program.templates[t].cfa for t, _, _ in state[1]]
            at = [q for _, q, _ in state[1]]
            if any(q in c.errors for c, q in zip(cfas, at, strict=True)):
                return True
            if sum(q in c.critical for c, q in zip(cfas, at, strict=True)) > 1:
                return True
            if not all(value(inv.cond, env) for inv in self.program.invariants):
                return True
        return False

    def pair_facts(self, question: Question) -> Certificate:
        """P, K and unary facts as the states have them."""
        rows: dict[str, dict[tuple[int, ...], dict[tuple[int, ...], None]]] = {"pairs": {}, "holders": {}, "singles": {}}
        table: dict[str, int] = {}

        def put(kind: str, g: tuple[int, ...], *threads: Thread) -> None:
            where = tuple(n for t, q, _ in threads for n in (t, q))
            texts = [f"(== {v.name}:{v.type} {x}:{v.type})" for v, x in zip(self.program.globals, g, strict=True)]
            for slot, (t, _, local) in enumerate(threads, 1):
                texts += [f"(== {v.name}@{slot}:{v.type} {x}:{v.type})"
                          for v, x in zip(self.program.templates[t].locals, local, strict=True)]
            rows[kind].setdefault(where, {})[tuple(table.setdefault(text, len(table)) for text in texts)] = None

        for state in self.states:
            if len(state[1]) == 1:
                put("singles", state[0], *state[1])
            for one, two, rest in self.pairs(state):
                holder = [t for t in rest if self.atomic(t)]
                put("holders" if holder else "pairs", state[0], one, two, *holder)
        body: dict[str, Any] = {"classes": [list(range(t.cfa.size)) for t in self.program.templates], "formulas": list(table)}
        body |= {kind: [[*where, [list(c) for c in dnf]] for where, dnf in found.items()] for kind, found in rows.items()}
        return Certificate(self.program.fingerprint(), question, "pairs", body)
