"""Loops that start or join threads, and run a number of times that is known, are unrolled: every thread is then told apart.

Iterations are peeled off one by one while constants are propagated through registers. If the way back to the head of the
loop is closed after few of them, the copies take the place of the loop; otherwise the loop stays.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from frontend.ir import Address, Call, Forget, Function, Guard, IrEdge, Load, MemorySymbol, Place, Set
from frontend.ir.thread_library import ThreadCall, names_of
from frontend.program import Const, Expr, Lvalue, Scalar, Var, substitute, truth
from frontend.program.components import components
from frontend.program.fold import cast, fold

MAX_ITERATIONS = 12
"""Loops that run more often stay loops."""
_MAX_EDGES = 4000

THREADS = frozenset(names_of(ThreadCall.CREATE, ThreadCall.JOIN))

KnownConstants: TypeAlias = dict[str, Const]
"""The registers whose values are known."""


class Unroller:
    """Unrolls the loops of functions; `functions` gives bodies, `symbols` the constants among the globals."""

    def __init__(self, functions: Callable[[str], Function | None], symbols: Callable[[str], MemorySymbol | None]) -> None:
        self._functions = functions
        self._symbols = symbols
        self._about_threads: dict[str, bool] = {}

    def unroll(self, function: Function) -> Function:
        """The function with what can be unrolled unrolled."""
        for _ in range(MAX_ITERATIONS):
            loops = (frozenset(c) for c in _loops(function) if self._concerns(function, c))
            peeled = next((f for loop in loops if (f := self._peel(function, loop)) is not None), None)
            if peeled is None:
                break
            function = peeled
        return function

    # ------------------------------------------------------------------------------------------- which loops
    def _concerns(self, function: Function, loop: list[int]) -> bool:
        """Whether threads are started or joined in the loop."""
        inside = set(loop)
        return any(e.source in inside and e.target in inside and self._calls(e) for e in function.edges)

    def _calls(self, edge: IrEdge) -> bool:
        return isinstance(edge.instr, Call) and isinstance(edge.instr.callee, str) and self.concerns(edge.instr.callee)

    def concerns(self, name: str) -> bool:
        """Whether a function starts or joins threads, directly or through functions that it calls by name."""
        if name in THREADS:
            return True
        if name not in self._about_threads:
            self._about_threads[name] = False  # what a recursive call sees
            body = self._functions(name)
            self._about_threads[name] = body is not None and any(map(self._calls, body.edges))
        return self._about_threads[name]

    # ------------------------------------------------------------------------------------------- peeling
    def _peel(self, function: Function, loop: frozenset[int]) -> Function | None:
        """The function with the loop replaced by its iterations; None if their number is not known or large."""
        heads = {e.target for e in function.edges if e.source not in loop and e.target in loop}
        if function.start in loop or len(heads) != 1:
            return None
        head = heads.pop()
        leaving: dict[int, list[IrEdge]] = {}
        for edge in function.edges:
            leaving.setdefault(edge.source, []).append(edge)
        before = self._propagate(leaving, function.start, {}, frozenset(range(function.size)) - loop, None)
        arriving = [after for q, values in before.items() for e in leaving.get(q, ())
                    if e.target == head and (after := self._after(e, values)) is not None]
        values = _meet(arriving)
        kept = [e for e in function.edges if e.source not in loop]
        size = function.size
        number = {q: q for q in loop}  # the first iteration keeps its numbers
        while values is not None:
            if size > function.size + MAX_ITERATIONS * len(loop) or len(kept) > _MAX_EDGES:
                return None
            states = self._propagate(leaving, head, values, loop, head)
            following = dict(zip(sorted(loop), range(size, size + len(loop)), strict=True))
            back: list[KnownConstants] = []
            for q in sorted(states):
                for edge in leaving.get(q, ()):
                    after = self._after(edge, states[q])
                    if after is None:
                        continue
                    target = edge.target
                    if target == head:
                        back.append(after)
                        target = following[head]
                    elif target in loop:
                        target = number[target]
                    kept.append(replace(edge, source=number[q], target=target))
            values, number, size = _meet(back), following, size + len(loop)
        return _compact(replace(function, edges=tuple(kept), size=size))

    def _propagate(self, leaving: Mapping[int, list[IrEdge]], start: int, values: KnownConstants, inside: frozenset[int],
                   head: int | None) -> dict[int, KnownConstants]:
        """What is known at each location within `inside` that is reached from `start` without coming back to `head`."""
        states: dict[int, KnownConstants] = {start: values}
        work = deque([start])
        while work:
            here = work.popleft()
            for edge in leaving.get(here, ()):
                if edge.target not in inside or edge.target == head:
                    continue
                after = self._after(edge, states[here])
                if after is None:
                    continue
                known = states.get(edge.target)
                met = after if known is None else _both(known, after)
                if known is None or len(met) != len(known):
                    states[edge.target] = met
                    work.append(edge.target)
        return states

    def _after(self, edge: IrEdge, values: KnownConstants) -> KnownConstants | None:
        """What is known behind an edge; None if it cannot be taken."""
        match edge.instr:
            case Guard(cond=cond):
                return None if _put(truth(cond), values) == Const(0, truth(cond).type) else values
            case Set(target=t, value=e):
                return _with(values, t, _put(e, values))
            case Load(target=t, place=place):
                return _with(values, t, self._constant(place))
            case Address(target=t) | Call(result=Var() as t):
                return _with(values, t, None)
            case Forget(targets=ts):
                return {n: c for n, c in values.items() if n not in {t.name for t in ts}}
            case _:
                return values

    def _constant(self, place: Place) -> Expr | None:
        """What a constant of the program holds."""
        symbol = self._symbols(place.base) if isinstance(place.base, str) and not place.path else None
        if symbol is None or not symbol.type.quals.const or symbol.type.quals.volatile or not symbol.defined:
            return None
        found = [v for path, v in symbol.initial if not path]
        return Const(found[0], Scalar(64, True)) if len(found) == 1 and isinstance(found[0], int) else None


def _loops(function: Function) -> list[list[int]]:
    graph: dict[int, list[int]] = {}
    for edge in function.edges:
        graph.setdefault(edge.source, []).append(edge.target)
    return [c for c in components(graph, function.size) if len(c) > 1 or c[0] in graph.get(c[0], ())]


def _put(e: Expr, values: KnownConstants) -> Expr:
    def known(v: Lvalue) -> Expr | None:
        return values.get(v.name) if isinstance(v, Var) else None

    return fold(substitute(e, known))


def _with(values: KnownConstants, target: Var, value: Expr | None) -> KnownConstants:
    folded = None if value is None else fold(cast(value, target.type))
    if isinstance(folded, Const):
        return {**values, target.name: folded}
    return {n: c for n, c in values.items() if n != target.name}


def _both(a: KnownConstants, b: KnownConstants) -> KnownConstants:
    return {n: c for n, c in a.items() if b.get(n) == c}


def _meet(states: list[KnownConstants]) -> KnownConstants | None:
    """What is known whichever of the states is the one; None if there is none."""
    met: KnownConstants | None = None
    for values in states:
        met = values if met is None else _both(met, values)
    return met


def _compact(function: Function) -> Function:
    """Locations that are left, numbered as before in their order; start and exit stay."""
    used = sorted({function.start, function.exit, *(q for e in function.edges for q in (e.source, e.target))})
    number = {q: n for n, q in enumerate(used)}
    edges = tuple(replace(e, source=number[e.source], target=number[e.target]) for e in function.edges)
    return replace(function, edges=edges, size=len(used), start=number[function.start], exit=number[function.exit])
