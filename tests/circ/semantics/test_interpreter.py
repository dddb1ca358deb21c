"""The interpreter against the solver's encoding on random expressions, and the rules of steps."""

from __future__ import annotations

import random

import pytest

from circ.semantics.evaluation import Undefined, cell, cells, evaluate, store
from circ.semantics.interpreter import Domain, Machine, Stuck, run_alone
from circ.smt import Encoder, SatResult, Solver
from frontend.program import (
    BOOL,
    AllAt,
    Arbitrary,
    Assign,
    Assume,
    Binary,
    Block,
    Cast,
    Cfa,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Ite,
    Program,
    Read,
    Scalar,
    Self,
    ThreadTemplate,
    Unary,
    Values,
    Var,
    Variable,
)

TYPES = [BOOL, *(Scalar(w, s) for w in (8, 16, 32, 64) for s in (False, True))]
U8, I32 = Scalar(8, False), Scalar(32, True)


def interesting(r: random.Random, t: Scalar) -> int:
    return t.wrap(r.choice([0, 1, -1, 2, t.low, t.high, t.low + 1, t.width, t.width - 1, r.getrandbits(64)]))


def expression(r: random.Random, t: Scalar, depth: int, math: bool) -> Expr:
    """A random expression of type `t` over v_<type> and the array a; in `math` only what the encoder expresses exactly."""
    if depth == 0 or r.random() < 0.1:
        return Const(interesting(r, t), t) if r.random() < 0.3 else Read(Var(f"v_{t}_{r.randrange(2)}", t))
    other = r.choice(TYPES)
    sub = lambda u: expression(r, u, depth - 1, math)  # noqa: E731
    kind = r.randrange(8)
    if t == BOOL and kind < 6:
        return r.choice([
            lambda: Unary("!", sub(other)),
            lambda: Binary(r.choice(["==", "!=", "<", "<=", ">", ">="]), sub(other), sub(other)),
            lambda: Binary(r.choice(["&&", "||"]), sub(other), sub(r.choice(TYPES))),
            lambda: Binary(r.choice(["&", "|", "^"]), sub(BOOL), sub(BOOL)),
        ])()
    if kind == 0:
        return Cast(sub(other), t)
    if kind == 1:
        return Ite(sub(other), sub(t), sub(t))
    if kind == 2:
        return Unary(r.choice(["-", "~"]), sub(t))
    if kind == 3 and t == U8:
        return Read(Element("a", sub(other), U8))
    if kind == 4 and t != BOOL:
        count = Const(other.wrap(r.randrange(63)), other) if math else sub(other)
        return Binary(r.choice(["<<", ">>"]), sub(t), count)
    if math and t != BOOL:
        op = r.choice(["+", "-", "*", "/", "%", "&"])
        constants = {"/": [1, 2, -3, 7], "%": [1, 2, -3, 7], "&": [1, 3, 127]}
        return Binary(op, sub(t), Const(t.wrap(r.choice(constants[op])), t) if op in constants else sub(t))
    return Binary(r.choice(["+", "-", "*", "&", "|", "^", *([] if t == BOOL else ["/", "%"])]), sub(t), sub(t))


@pytest.mark.parametrize("ints", ["exact", "math"])
def test_interpreter_and_encoder_agree(ints: str) -> None:
    r = random.Random(20)
    encoder = Encoder(ints)
    array = Variable("a", U8, length=4)
    for _ in range(1200):
        t = r.choice(TYPES)
        e = expression(r, t, r.randrange(1, 5), ints == "math")
        values = {f"v_{u}_{k}": interesting(r, u) for u in TYPES for k in range(2)}
        elements = {r.randrange(4): interesting(r, U8) for _ in range(3)}
        terms = {f"v_{u}_{k}": encoder.constant(values[f"v_{u}_{k}"], u) for u in TYPES for k in range(2)}
        terms["a"] = encoder.array_of(array, 9, sorted(elements.items()))
        mine = evaluate(e, {**values, "a": cells(9, elements)}, ints)
        if ints == "exact":
            assert t.low <= mine <= t.high
        solver = Solver()
        solver.add(encoder.value(e, terms, strict=True) != encoder.constant(mine, t))
        assert solver.check() is SatResult.UNSAT, (e, values, mine)
        assert evaluate(Unary("!", e), {**values, "a": cells(9, elements)}, ints) == int(mine == 0)


def test_deep_expressions_are_evaluated() -> None:
    e: Expr = Read(Var("x", I32))
    for _ in range(120):
        e = Binary("+", Const(1, I32), Unary("-", e))
    assert evaluate(e, {"x": 5}) == 5


def test_what_c_leaves_undefined_is_as_documented() -> None:
    def run(op: str, a: int, b: int, t: Scalar) -> int:
        return evaluate(Binary(op, Const(a, t), Const(b, t)), {})

    assert run("/", 7, 0, U8) == 255
    assert run("/", 7, 0, I32) == -1
    assert run("/", -7, 0, I32) == 1
    assert run("%", -7, 0, I32) == -7
    assert run("/", I32.low, -1, I32) == I32.low
    assert run("/", -7, 2, I32) == -3
    assert run("%", -7, 2, I32) == -1
    assert run("<<", 1, 32, I32) == 0
    assert run("<<", 1, -1, I32) == 0
    assert run(">>", -1, 99, I32) == -1
    assert run(">>", 255, 99, U8) == 0


def test_arrays_are_canonical() -> None:
    a = cells(0, {2: 5, 1: 0})
    assert a == (0, ((2, 5),))
    assert store(store(a, 7, 1), 2, 0) == (0, ((7, 1),))
    assert cell(a, 2) == 5
    assert cell(a, 99) == 0


# --------------------------------------------------------------------------------------------------- steps
X = Var("x", U8)
L = Var("l", U8)


def program(*edges: Edge, size: int = 4, locals_: tuple[Variable, ...] = (), atomic: frozenset[int] = frozenset(),
            start: Variable | None = None) -> Program:
    template = ThreadTemplate("t", Cfa(size, 0, edges, atomic), locals_)
    return Program("t.c", (start or Variable("x", U8), Variable("a", U8, 4, Values(1, ((2, 7),)))), (template,))


def test_open_values_are_decided_when_they_are_read() -> None:
    copy = Assign(X, Read(L))
    p = program(Edge(0, 1, SKIP_BLOCK), Edge(1, 2, copy), locals_=(Variable("l", U8, start=Arbitrary()),))
    machine = Machine(p)
    state = machine.open_start((0,))
    domain = Domain()
    (skip,) = machine.moves(0, state.globals, state.threads[0], domain)
    assert skip.thread == (1, (None,))
    after = list(machine.moves(0, skip.globals, skip.thread, domain))
    assert [m.globals[0] for m in after] == list(range(256))
    assert all(m.thread[1] == (m.globals[0],) for m in after)
    assert domain.exact


SKIP_BLOCK = Block(())


def test_havoc_stays_open_unless_the_step_reads_it() -> None:
    lazy = Havoc((L,))
    eager = Block((Havoc((L,)), Assume(Binary("<", Read(L), Const(3, U8))), Assign(X, Read(L))))
    p = program(Edge(0, 1, lazy), Edge(0, 2, eager), locals_=(Variable("l", U8),))
    machine = Machine(p)
    state = machine.open_start((0,))
    moves = list(machine.moves(0, state.globals, state.threads[0], Domain()))
    assert moves[0].thread == (1, (None,))
    assert [(m.globals[0], m.thread) for m in moves[1:]] == [(v, (2, (v,))) for v in range(3)]


def test_wide_values_are_sampled_and_said_to_be() -> None:
    wide = Var("w", I32)
    p = program(Edge(0, 1, Assume(Binary("==", Read(wide), Const(70000, I32)))), locals_=(Variable("w", I32, start=Arbitrary()),))
    machine = Machine(p)
    state = machine.open_start((0,))
    domain = Domain((0, 70000))
    assert [m.thread for m in machine.moves(0, state.globals, state.threads[0], domain)] == [(1, (70000,))]
    assert not domain.exact


def test_a_blocked_step_changes_nothing() -> None:
    p = program(Edge(0, 1, Block((Assign(X, Const(1, U8)), Assume(Binary("==", Read(X), Const(2, U8)))))))
    machine = Machine(p)
    state = machine.open_start((0,))
    assert list(machine.moves(0, state.globals, state.threads[0], Domain())) == []


def test_elements_and_out_of_bounds() -> None:
    a = lambda i: Element("a", i, U8)  # noqa: E731
    minus_one = Const(-1, I32)
    p = program(
        Edge(0, 1, Assign(X, Binary("+", Read(a(Const(2, I32))), Read(a(minus_one))))),
        Edge(1, 2, Assign(a(minus_one), Const(9, U8))),
        Edge(2, 3, Assign(X, Read(a(Const((1 << 64) - 1, Scalar(64, False)))))),
    )
    final = run_alone(Machine(p))
    assert final.globals[0] == 9
    assert final.threads[0][0] == 3


def test_running_alone_refuses_to_guess() -> None:
    p = program(Edge(0, 1, Assign(X, Read(L))), locals_=(Variable("l", U8, start=Arbitrary()),))
    with pytest.raises(Stuck, match="has no value"):
        run_alone(Machine(p))
    assert run_alone(Machine(p), open_value=lambda t: t.high).globals[0] == 255
    with pytest.raises(Stuck, match="no end"):
        run_alone(Machine(program(Edge(0, 0, SKIP_BLOCK))), steps=10)


def test_only_the_holder_of_an_atomic_section_runs() -> None:
    machine = Machine(program(Edge(0, 1, SKIP_BLOCK), atomic=frozenset({1})))
    crew = (0, 0)
    assert machine.holder(crew, ((0, ()), (0, ()))) is None
    assert machine.holder(crew, ((0, ()), (1, ()))) == 1


def test_guards_look_at_other_threads_of_the_template() -> None:
    machine = Machine(program(Edge(0, 1, AllAt("t", frozenset({2})))))
    crew = (0, 0)
    guards = machine.code(0, 0).guards
    assert machine.guards_pass(guards, crew, ((0, ()), (2, ())), 0)
    assert not machine.guards_pass(guards, crew, ((2, ()), (0, ())), 0)


def test_threads_are_numbered() -> None:
    p = program(locals_=(Variable("self", I32, start=Self(1)),))
    assert [t[1] for t in Machine(p).open_start((0, 0, 0)).threads] == [(1,), (2,), (3,)]


def test_undefined_is_never_silently_compared() -> None:
    with pytest.raises(Undefined):
        evaluate(Binary("==", Read(X), Const(0, U8)), {"x": None})
