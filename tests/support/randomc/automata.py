"""Random small programs given directly as automata: every kind of operation, arrays, open values, guards, counts."""

from __future__ import annotations

import random

from frontend.program import (
    NOWHERE,
    SKIP,
    Access,
    AllAt,
    Arbitrary,
    Assign,
    Assume,
    Binary,
    Block,
    Cfa,
    Const,
    Edge,
    Element,
    ErrorKind,
    ErrorLocation,
    Expr,
    Havoc,
    Lvalue,
    Op,
    Program,
    Read,
    Scalar,
    Self,
    ThreadTemplate,
    Values,
    Var,
    Variable,
    name_of,
    op_reads,
    op_writes,
)

U2 = Scalar(2, False)
X, FLAG = Var("x", U2), Var("flag", U2)
GLOBALS: tuple[Lvalue, ...] = (X, FLAG)


class _Maker:
    def __init__(self, r: random.Random) -> None:
        self.r = r
        self.locals: tuple[Lvalue, ...] = (Var("l", U2), Var("m", U2))

    def element(self) -> Element:
        return Element("a", Read(self.r.choice(self.locals)) if self.r.random() < 0.5 else Const(self.r.randrange(2), U2), U2)

    def condition(self, over: tuple[Lvalue, ...]) -> Expr:
        return Binary(self.r.choice(["==", "==", "!=", "<"]), Read(self.r.choice(over)), Const(self.r.randrange(3), U2))

    def op(self) -> Op:
        """One operation, touching shared memory at most once."""
        r = self.r
        shared: Lvalue = self.element() if r.random() < 0.15 else r.choice(GLOBALS)
        value: Expr = Const(r.randrange(3), U2) if r.random() < 0.6 else Read(r.choice(self.locals))
        match r.randrange(10):
            case 0 | 1:
                return Assign(shared, value)
            case 2 | 3:
                return Assign(r.choice(self.locals), Read(shared))
            case 4 | 5:
                return Assume(self.condition((shared,)))
            case 6:
                return Assume(self.condition(self.locals))
            case 7:
                return Havoc((r.choice(self.locals),)) if r.random() < 0.7 else Havoc((), ("b",))
            case 8:
                return Assign(r.choice(self.locals), value)
            case _:
                lock = Assume(Binary("==", Read(FLAG), Const(0, U2)))
                return Block((lock, Assign(FLAG, Const(1, U2)))) if r.random() < 0.7 else Assign(FLAG, Const(0, U2))

    def cfa(self, others: tuple[tuple[str, int], ...]) -> Cfa:
        r = self.r
        size = r.randrange(3, 7)
        atomic = frozenset(q for q in range(1, size) if r.random() < 0.15)
        edges = []
        for q in range(size):
            for _ in range(r.choice([1, 1, 2])):
                target = (q + 1) % size if r.random() < 0.7 else r.randrange(size)
                op: Op = self.op()
                if others and r.random() < 0.08:
                    name, other_size = r.choice(others)
                    op = AllAt(name, frozenset(s for s in range(other_size) if r.random() < 0.6))
                protected = q in atomic or target in atomic or isinstance(op, Block)
                edges.append(Edge(q, target, op, _accesses(op), protected))
        errors = {size - 1: ErrorLocation(ErrorKind.ASSERT, NOWHERE, "")} if r.random() < 0.5 else {}
        critical = frozenset(q for q in range(1, size) if r.random() < 0.2)
        return Cfa(size, 0, tuple(edges), atomic, errors, critical)


def _accesses(op: Op) -> tuple[Access, ...]:
    names = {"x", "a"}
    found = [Access(v, False) for v in op_reads(op) if name_of(v) in names]
    if isinstance(op, Assign) and name_of(op.target) in names:
        found.append(Access(op.target, True))
    assert all(n not in names for n in op_writes(op)) or isinstance(op, Assign)
    return tuple(found)


def random_program(seed: int, bounded: bool = False) -> Program:
    """A program with one or two templates; `bounded`: every template has a count."""
    r = random.Random(seed)
    maker = _Maker(r)
    first = maker.cfa((("t1", 3),) if r.random() < 0.3 else ())
    templates = []
    for i in range(r.choice([1, 1, 2])):
        local = (
            Variable("l", U2, start=r.choice([Arbitrary(), Values(0), Self()])),
            Variable("m", U2, start=Arbitrary()),
            Variable("b", U2, 2, start=Arbitrary()),
        )
        cfa = first if i == 0 else maker.cfa(())
        templates.append(ThreadTemplate(f"t{i}", cfa, local, r.choice([1, 2, 3] if bounded else [1, 2, None, None])))
    if len(templates) == 1 and templates[0].count == 1:
        templates.append(ThreadTemplate("t1", maker.cfa(()), templates[0].locals, 1))
    names = {t.name: t.cfa.size for t in templates}
    templates = [_without_wrong_guards(t, names) for t in templates]
    start = r.choice([Values(0), Values(0), Arbitrary()])
    return Program("random.c", (Variable("x", U2), Variable("flag", U2, start=start), Variable("a", U2, 2, Values(0, ((1, 1),)))),
                   tuple(templates), race_model=r.choice(["nesc", "c11"]))


def _without_wrong_guards(t: ThreadTemplate, names: dict[str, int]) -> ThreadTemplate:
    """Guards on a template that does not exist become skips."""
    edges = tuple(Edge(e.source, e.target, SKIP, (), e.protected)
                  if isinstance(e.op, AllAt) and e.op.template not in names else e for e in t.cfa.edges)
    return ThreadTemplate(t.name, Cfa(t.cfa.size, 0, edges, t.cfa.atomic, t.cfa.errors, t.cfa.critical), t.locals, t.count)
