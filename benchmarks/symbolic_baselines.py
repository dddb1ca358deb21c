"""Symbolic search of the whole product: the baselines that the modular engines are compared with.

Both use the same package, order and encoding as `circ.finite.symbolic.fixpoint`. Breadth-first search has one transition relation
for the whole program, over interleaved current and primed bits; chaining applies the moves one after the other to a
growing set, which needs no relation and often far fewer rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dd import cudd

from circ.finite.symbolic import StateSet, SymbolicSystem
from circ.finite.system import FiniteSystem


@dataclass(frozen=True, slots=True)
class Searched:
    """`safe`: no error state is reachable."""

    safe: bool
    rounds: int
    nodes: int


def breadth_first(system: FiniteSystem, tick: Callable[[], None]) -> Searched:
    """Monolithic breadth-first reachability, from the newest states only."""
    s = SymbolicSystem(system, primed=True)
    bits = s.encoding.bits()
    prime = {b: b + "'" for b in bits}
    primed = list(prime.values())
    same = s.true
    for b in reversed(bits):
        same &= s.manager.apply("equiv", s.manager.var(b), s.manager.var(prime[b]))
    # Primed bits hold the old state: taking a move from "new = old" gives the relation of the move.
    relation = s.false
    for moves in s.moves:
        own = s.false
        for commands in moves:
            tick()
            own |= s.image(same, commands)
        relation |= own
    error = s.error()
    reached = front = s.start()
    rounds = 0
    while front != s.false:
        rounds += 1
        tick()
        if front & error != s.false:
            return Searched(False, rounds, s.peak())
        old = s.manager.let(prime, front)
        front = cudd.and_exists(relation, old, primed) & ~reached
        reached |= front
    return Searched(True, rounds, s.peak())


def chaining(system: FiniteSystem, tick: Callable[[], None]) -> Searched:
    """Every move of every thread in turn, each from all that is reached so far, until nothing is new."""
    s = SymbolicSystem(system)
    error = s.error()
    reached = s.start()
    rounds = 0
    while True:
        rounds += 1
        before: StateSet = reached
        for moves in s.moves:
            for commands in moves:
                tick()
                reached |= s.image(reached, commands)
        if reached & error != s.false:
            return Searched(False, rounds, s.peak())
        if reached == before:
            return Searched(True, rounds, s.peak())
