"""Loops that start threads are unrolled into the calls that they make; others stay as they are."""

from __future__ import annotations

import random

import pytest

from frontend.ctypes import FunctionType
from frontend.ir import Call, Function, Guard, Nop, Place, Set
from frontend.program import Binary, Const, Expr, Read, Var, truth
from frontend.threads.unroll import MAX_ITERATIONS, Unroller
from tests.support.handmade import I32, VOID, function
from tests.support.sketches import value

I, N = Var("i", I32), Var("n", I32)


def create(argument: Expr, name: str = "pthread_create") -> Call:
    return Call(None, name, (argument,), FunctionType(VOID, ()))


def loop(first: int, step: int, relation: str, bound: Expr, body: Call, more: tuple[tuple[int, int, Set], ...] = ()) -> Function:
    """`for (i = first; i relation bound; i += step) body;`"""
    test = Binary(relation, Read(I), bound)
    edges = [(0, 1, Set(I, Const(first, I32))), (1, 2, Guard(test)), (1, 4, Guard(Binary("==", test, Const(0, test.type)))),
             (2, 3, body), (3, 1, Set(I, Binary("+", Read(I), Const(step, I32)))), *more, (4, 5, Nop())]
    return function("f", edges, 5, (I, N))


def unrolled(f: Function) -> Function:
    return Unroller(lambda _: None, lambda _: None).unroll(f)


def calls(f: Function, n: int = 0) -> list[tuple[str, int]]:
    """The calls that a run makes, with their arguments."""
    values, here, made = {"i": 0, "n": n}, f.start, []
    for _ in range(400):
        if here == f.exit:
            return made
        ready = [e for e in f.edges if e.source == here and not (isinstance(e.instr, Guard) and not value(truth(e.instr.cond), values))]
        assert len(ready) == 1, (here, ready)
        match ready[0].instr:
            case Set(target=t, value=e):
                values[t.name] = value(e, values)
            case Call(callee=str() as name, args=(argument,)):
                assert not isinstance(argument, Place)
                made.append((name, value(argument, values)))
        here = ready[0].target
    raise AssertionError("the run does not end")


def is_loop(f: Function) -> bool:
    """Whether some location is reached from itself."""
    onwards = {q: {e.target for e in f.edges if e.source == q} for q in range(f.size)}
    for q in range(f.size):
        seen, work = set(), [q]
        while work:
            for r in onwards[work.pop()] - seen:
                seen.add(r)
                work.append(r)
        if q in seen:
            return True
    return False


@pytest.mark.parametrize("seed", range(60))
def test_the_same_calls_in_the_same_order(seed: int) -> None:
    rng = random.Random(seed)
    bound = rng.choice([Const(rng.randrange(8), I32), Read(N)])
    f = loop(rng.randrange(-2, 4), rng.choice([1, 2, 3]), rng.choice(["<", "<="]),
             bound, create(Binary("*", Read(I), Const(rng.randrange(3), I32)), rng.choice(["pthread_create", "thrd_join"])))
    for n in range(-1, 5):
        assert calls(unrolled(f), n) == calls(f, n)


def test_a_known_number_of_iterations_is_no_loop_afterwards() -> None:
    f = unrolled(loop(0, 1, "<", Const(3, I32), create(Read(I))))
    assert not is_loop(f)
    assert sum(isinstance(e.instr, Call) for e in f.edges) == 3


@pytest.mark.parametrize("f", [
    loop(0, 1, "<", Read(N), create(Read(I))),
    loop(0, 1, "<", Const(MAX_ITERATIONS + 5, I32), create(Read(I))),
    loop(0, 1, "<", Const(3, I32), create(Read(I), "puts")),
], ids=["a bound that is not known", "too often", "no threads"])
def test_other_loops_stay(f: Function) -> None:
    assert unrolled(f) == f


def test_a_counter_that_some_path_changes_is_not_known() -> None:
    f = loop(0, 1, "<", Const(3, I32), create(Read(I)), ((3, 1, Set(I, Read(N))),))
    assert is_loop(unrolled(f))
