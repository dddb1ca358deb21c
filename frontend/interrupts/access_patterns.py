"""Accesses that a machine does not make at once though each half of them is one instruction, found in the text of functions.

An *update* reads memory and writes it back within one statement (`x++`, `PORTB |= 4`, `x = x > 9 ? 0 : x + 1`): what another
thread writes in between is lost. A *polled* access reads the same memory again and again in a loop that does nothing else: a
compiler reads memory that is not volatile once, before the loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from frontend.ir import Function, Guard, Index, IrEdge, Load, Nop, Place, Set, Store, defined
from frontend.program import Expr, Location, Lvalue, Read, Var, reads, substitute
from frontend.program.components import components
from frontend.records import dataclass

Spot: TypeAlias = tuple[Location, str]
"""Where an access stands in the source, and its text: an `Access` has both, too."""

_MOST_STEPS = 200
"""Steps within which a statement that reads what it writes is looked for."""


@dataclass(frozen=True, slots=True)
class AccessPatterns:
    """The spots of writes that give back what was read, and of reads in loops that only wait."""

    updates: frozenset[Spot] = frozenset()
    polled: frozenset[Spot] = frozenset()


def access_patterns(functions: Iterable[Function]) -> AccessPatterns:
    """All such accesses of these functions."""
    updates: set[Spot] = set()
    polled: set[Spot] = set()
    for function in functions:
        updates |= {(e.location, e.text) for e in _updates(function)}
        polled |= {(e.location, e.text) for e in _polled(function)}
    return AccessPatterns(frozenset(updates), frozenset(polled))


def read_back(function: Function, store: IrEdge) -> IrEdge | None:
    """The load, in the statement of a store, whose value goes into what is stored to the same place."""
    assert isinstance(store.instr, Store)
    return _Search(function).read_back(store)


def _updates(function: Function) -> Iterable[IrEdge]:
    search = _Search(function)
    return (e for e in function.edges if isinstance(e.instr, Store) and search.read_back(e) is not None)


class _Search:
    """Looks backwards through one function, as far as temporaries of the lowering lead."""

    def __init__(self, function: Function) -> None:
        self._before: dict[int, list[IrEdge]] = {}
        for e in function.edges:
            self._before.setdefault(e.target, []).append(e)
        self._meanings = _meanings(function)

    def read_back(self, store: IrEdge) -> IrEdge | None:
        assert isinstance(store.instr, Store)
        if store.instr.value is None:
            return None
        place = self._canonical(store.instr.place)
        first = store.source, frozenset(_temporaries(store.instr.value))
        seen = {first}
        todo = [first]
        while todo and len(seen) < _MOST_STEPS:
            here, wanted = todo.pop()
            for e in self._before.get(here, ()) if wanted else ():
                hit = wanted.intersection(defined(e.instr))
                if hit and isinstance(e.instr, Load) and self._canonical(e.instr.place) == place:
                    return e
                more = _temporaries(e.instr.value) if hit and isinstance(e.instr, Set) else set()
                before = e.source, wanted - hit | more
                if before not in seen:
                    seen.add(before)
                    todo.append(before)
        return None

    def _canonical(self, place: Place) -> str:
        """The place with what temporaries in it stand for: two that look the same are one cell within a statement."""
        base = place.base if isinstance(place.base, str) else repr(self._meant(place.base))
        steps = (repr(self._meant(step.value)) if isinstance(step, Index) else step.name for step in place.path)
        return "/".join((base, *steps))

    def _meant(self, e: Expr, depth: int = 4) -> Expr:
        """An expression over memory and the function's own variables."""
        def meaning(v: Lvalue) -> Expr | None:
            found = self._meanings.get(v.name) if isinstance(v, Var) else None
            if isinstance(found, Place):
                return Read(Var(self._canonical(found), v.type))
            return None if found is None else self._meant(found, depth - 1)

        return substitute(e, meaning) if depth else e


def _meanings(function: Function) -> Mapping[str, Expr | Place]:
    """What each temporary that one instruction sets stands for."""
    found: dict[str, Expr | Place] = {}
    setting = Counter(v.name for e in function.edges for v in defined(e.instr))
    for e in function.edges:
        if isinstance(e.instr, Set | Load) and _is_temporary(e.instr.target) and setting[e.instr.target.name] == 1:
            found[e.instr.target.name] = e.instr.value if isinstance(e.instr, Set) else e.instr.place
    return found


def _temporaries(e: Expr) -> set[Var]:
    return {v for v in reads(e) if isinstance(v, Var) and _is_temporary(v)}


def _is_temporary(v: Var) -> bool:
    return v.name.startswith("%")


def _polled(function: Function) -> Iterable[IrEdge]:
    """Loads of memory that is not volatile, in loops that call nothing, write nothing and count nothing."""
    looking = [e for e in function.edges if _only_looks(e)]
    graph: dict[int, list[int]] = {}
    for e in looking:
        graph.setdefault(e.source, []).append(e.target)
    loops = {q: n for n, component in enumerate(components(graph, function.size)) for q in component}
    again = (e for e in looking if loops[e.source] == loops[e.target])
    return (e for e in again if isinstance(e.instr, Load) and not _volatile(e.instr.place))


def _only_looks(e: IrEdge) -> bool:
    waits = isinstance(e.instr, Guard | Load | Set) or (isinstance(e.instr, Nop) and not e.text.startswith("asm"))
    return waits and all(map(_is_temporary, defined(e.instr)))


def _volatile(place: Place) -> bool:
    return place.type.quals.volatile or place.base_type.quals.volatile
