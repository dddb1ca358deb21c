"""Parameters that have one constant at every call: `pool_create(4)`, if nobody calls it with anything else.

A function that runs as a thread from the start may be called with anything, and so may one whose name stands anywhere but in a
call: in an instruction, in an initialiser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property

from frontend.ir import Call, Function, MemorySymbol, Place
from frontend.program import Const, Var
from frontend.program.fold import cast, fold


class FixedArguments:
    """Looked for among the functions that threads reach from `sources`; `functions` gives bodies, `symbols` all objects."""

    def __init__(self, functions: Callable[[str], Function | None], symbols: Callable[[], Mapping[str, MemorySymbol]],
                 sources: Iterable[str]) -> None:
        self._functions, self._symbols, self._sources = functions, symbols, frozenset(sources)
        self._handed: set[str] = set()
        """Names that stand elsewhere than in a call."""
        self._seen: set[str] = set()

    def reached(self) -> frozenset[str]:
        """The functions that threads may reach."""
        return frozenset(self._seen if self._calls else ())

    def of(self, function: Function) -> dict[str, Const]:
        """The registers of parameters with their constants."""
        calls = self._calls.get(function.name, [])
        if function.name in self._sources or function.name in self._handed or not calls:
            return {}
        found: dict[str, Const] = {}
        for n, p in enumerate(function.params):
            given = {self._constant(c, n, p) for c in calls} if isinstance(p, Var) else {None}
            value = given.pop()
            if value is not None and not given:
                assert isinstance(p, Var)
                found[p.name] = value
        return found

    @staticmethod
    def _constant(call: Call, n: int, p: Var) -> Const | None:
        e = call.args[n] if n < len(call.args) else None
        folded = None if e is None or isinstance(e, Place) else fold(cast(e, p.type))
        return folded if isinstance(folded, Const) else None

    @cached_property
    def _calls(self) -> dict[str, list[Call]]:
        """The calls of each function that is reached."""
        calls: dict[str, list[Call]] = {}
        todo, seen = sorted(self._sources), self._seen
        seen |= self._sources
        while todo:
            body = self._functions(todo.pop())
            for edge in body.edges if body is not None else ():
                named = set(_texts(edge.instr))
                if isinstance(edge.instr, Call) and isinstance(edge.instr.callee, str):
                    calls.setdefault(edge.instr.callee, []).append(edge.instr)
                    self._handed.update(_texts((edge.instr.result, edge.instr.args)))
                else:
                    self._handed |= named
                new = sorted(n for n in named - seen if self._functions(n) is not None)
                seen.update(new)
                todo += new
            if not todo:
                objects = set(_texts([s.initial for s in self._symbols().values()]))
                self._handed |= objects
                todo += sorted(n for n in objects - seen if self._functions(n) is not None)
                seen.update(todo)
        return calls


def _texts(item: object) -> Iterator[str]:
    """Every text in a piece of data: names are among them."""
    todo = [item]
    while todo:
        match todo.pop():
            case str() as text:
                yield text
            case tuple() | list() | set() | frozenset() as items:
                todo += items
            case Mapping() as items:
                todo += [*items.keys(), *items.values()]
            case other if is_dataclass(other):
                todo += [getattr(other, f.name) for f in fields(other)]
            case _:
                pass
