"""Hand-made finite-state programs of the papers, for the thread-modular family."""

from __future__ import annotations

from frontend.program import Program
from tests.support.build import program, thread


def simple(n: int, owner: bool = True) -> Program:
    """Simple(n) of Flanagan and Qadeer, locations 1 to 6 as in the paper minus one; with `owner` False the mutex is a bit."""
    me = "tid + 1" if owner else "1"
    x = "x=1" if owner else "x:u1=1"
    edges = f"0 1 [m == 0]; m = {me} / 1 2 x = 0 / 2 3 x = x + 1 / 3 6 [x <= 0] / 3 4 [x > 0] / 4 5 m = 0"
    return program(f"m {x}", thread("p", edges, "tid=self", n, critical=[1, 2, 3], errors=[6]), invariants=["m != 0 or x == 1"])


def mux_sem(n: int) -> Program:
    """Example 1 of Meng et al."""
    return program("x=1", thread("p", "0 1 skip / 1 2 [x == 1]; x = 0 / 2 3 skip / 3 0 x = 1", count=n, critical=[2, 3]))


def mux_sem_last(n: int) -> Program:
    return program("x=1 last", thread("p", "0 1 skip / 1 2 [x == 1]; x = 0; last = me / 2 3 skip / 3 0 x = 1", "me=self", n,
                                      critical=[2, 3]))


def mux_sem_count(n: int, m: int) -> Program:
    return program("x=1", thread("p", f"0 1 skip / 1 2 [x == 1]; x = 0; c = (c + 1) % {m} / 2 3 skip / 3 0 x = 1", "c=0", n,
                                 critical=[2, 3]))


def peterson(right: bool = True) -> Program:
    """Figure 2 of Malkis et al.: locations A, B, C, D are 0 to 3."""
    return program("x y turn",
                   thread("a", "0 1 x = 1 / 1 2 turn = 1 / 2 3 [y == 0 or turn == 0] / 3 0 x = 0", count=1, critical=[3]),
                   thread("b", f"0 1 y = 1 / 1 2 turn = {0 if right else 1} / 2 3 [x == 0 or turn == 1] / 3 0 y = 0", count=1,
                          critical=[3]))


def sections(n: int, m: int) -> Program:
    """Figure 3 of Malkis et al.: n threads with m critical sections behind one lock."""
    edges = []
    for k in range(m):
        after = 3 * k + 3 if k < m - 1 else 0
        edges += [f"{3 * k} {3 * k + 1} [lck == 0]; lck = 1", f"{3 * k + 1} {3 * k + 2} skip", f"{3 * k + 2} {after} lck = 0"]
    inside = [q for k in range(m) for q in (3 * k + 1, 3 * k + 2)]
    return program("lck", thread("p", " / ".join(edges), count=n, critical=inside))


def test_and_set(n: int) -> Program:
    """A semaphore whose test and whose set are two steps: wrong."""
    return program("x=1", thread("p", "0 1 [x == 1] / 1 2 x = 0 / 2 3 skip / 3 0 x = 1", count=n, critical=[2, 3]))
