"""Loops that start or join threads, and run a number of times that is known, are unrolled: every thread is then told apart.

Iterations are peeled off one by one while constants are propagated through registers. If the way back to the head of the
loop is closed after few of them, the copies take the place of the loop; otherwise the loop stays. A loop that only joins
threads and whose number of iterations is not seen, as with a bound that is read from memory, has as many iterations peeled off
as others that start threads, and stays behind them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from frontend.ir import Address, Call, Forget, Function, Guard, IrEdge, Load, MemorySymbol, Place, Set
from frontend.ir.thread_library import ThreadCall, names_of
from frontend.program import Const, Expr, Lvalue, Scalar, Var, substitute, truth
from frontend.program.components import components
from frontend.program.fold import cast, fold
from frontend.records import replace

MAX_ITERATIONS = 12
"""Loops that run more often stay loops."""
_MAX_EDGES = 4000

STARTS = frozenset(names_of(ThreadCall.CREATE))
THREADS = STARTS | frozenset(names_of(ThreadCall.JOIN))

KnownConstants: TypeAlias = dict[str, Const]
"""The registers whose values are known."""


class Unroller:
    """Unrolls the loops of functions; `functions` gives bodies, `symbols` the constants among the globals.

    `fixed`: what is known of a function's parameters at each of its calls. `reached`: the functions that threads reach.
    """

    def __init__(self, functions: Callable[[str], Function | None], symbols: Callable[[str], MemorySymbol | None],
                 fixed: Callable[[Function], KnownConstants] = lambda _: {},
                 reached: Callable[[], Iterable[str]] = lambda: ()) -> None:
        self._functions, self._symbols = functions, symbols
        self._fixed, self._reached = fixed, reached
        self._about_threads: dict[str, dict[frozenset[str], bool]] = {}
        self._most: int | None = None

    def unroll(self, function: Function) -> Function:
        """The function with what can be unrolled unrolled."""
        if not any(isinstance(e.instr, Call) for e in function.edges) or not _loops(function):
            return _compact(function)
        function, _ = self._unrolled(function)
        joining = [frozenset(c) for c in _loops(function)
                   if self._concerns(function, c) and not self._concerns(function, c, STARTS)]
        times = self._started() if joining else 0
        for loop in joining if times else ():
            # Peeling keeps the numbers of the other loops' locations.
            found = self._peel(function, loop, self._fixed(function), times)
            function = function if found is None else found[0]
        return _compact(function)

    def _unrolled(self, function: Function) -> tuple[Function, int]:
        """With the loops replaced whose number of iterations is known, and the most iterations of one that starts threads."""
        most, fixed = 0, None
        for _ in range(MAX_ITERATIONS):
            loops = [frozenset(c) for c in _loops(function) if self._concerns(function, c)]
            if loops and fixed is None:
                fixed = self._fixed(function)
            found = next(((f, loop) for loop in loops if (f := self._peel(function, loop, fixed or {})) is not None), None)
            if found is None:
                break
            (peeled, times), loop = found
            most = max(most, times) if self._concerns(function, loop, STARTS) else most
            function = _compact(peeled)
        return function, most

    def _started(self) -> int:
        """The most threads that a loop starts of which the number is known."""
        if self._most is None:
            self._most = 0
            bodies = [self._functions(name) for name in sorted(self._reached()) if self.concerns(name, STARTS)]
            self._most = max((self._unrolled(f)[1] for f in bodies if f is not None), default=0)
        return self._most

    # ------------------------------------------------------------------------------------------- which loops
    def _concerns(self, function: Function, loop: Iterable[int], calls: frozenset[str] = THREADS) -> bool:
        """Whether threads are started or joined in the loop, or what else these functions do."""
        inside = set(loop)
        return any(e.source in inside and e.target in inside and self._calls(e, calls) for e in function.edges)

    def _calls(self, edge: IrEdge, calls: frozenset[str]) -> bool:
        return isinstance(edge.instr, Call) and isinstance(edge.instr.callee, str) and self.concerns(edge.instr.callee, calls)

    def concerns(self, name: str, calls: frozenset[str] = THREADS) -> bool:
        """Whether a function starts or joins threads, directly or through functions that it calls by name."""
        if name in calls:
            return True
        known = self._about_threads.setdefault(name, {})
        if calls not in known:
            known[calls] = False  # what a recursive call sees
            body = self._functions(name)
            known[calls] = body is not None and any(self._calls(e, calls) for e in body.edges)
        return known[calls]

    # ------------------------------------------------------------------------------------------- peeling
    def _peel(self, function: Function, loop: frozenset[int], fixed: KnownConstants, most: int | None = None,
              ) -> tuple[Function, int] | None:
        """The function with the loop replaced by its iterations, and how many they are; None if that is not known or large.

        With `most`, so many iterations stand before the loop, which stays.
        """
        heads = {e.target for e in function.edges if e.source not in loop and e.target in loop}
        if function.start in loop or len(heads) != 1:
            return None
        head = heads.pop()
        leaving: dict[int, list[IrEdge]] = {}
        for edge in function.edges:
            leaving.setdefault(edge.source, []).append(edge)
        before = self._propagate(leaving, function.start, fixed, frozenset(range(function.size)) - loop, None)
        arriving = [after for q, values in before.items() for e in leaving.get(q, ())
                    if e.target == head and (after := self._after(e, values)) is not None]
        values = _meet(arriving)
        kept = [e for e in function.edges if e.source not in loop]
        size = function.size
        number = {q: q for q in loop}  # the first iteration keeps its numbers
        times = 0
        while values is not None:
            if times == most:
                kept += [replace(e, source=number[e.source], target=number.get(e.target, e.target))
                         for q in sorted(loop) for e in leaving.get(q, ())]
                break
            if size > function.size + MAX_ITERATIONS * len(loop) or len(kept) > _MAX_EDGES:
                return None
            times += 1
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
        return replace(function, edges=tuple(kept), size=size), times

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
    if len(used) == function.size:
        return function
    number = {q: n for n, q in enumerate(used)}
    edges = tuple(replace(e, source=number[e.source], target=number[e.target]) for e in function.edges)
    return replace(function, edges=edges, size=len(used), start=number[function.start], exit=number[function.exit])
