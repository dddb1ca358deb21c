"""A function that is being inlined: its registers under the names they have in the thread, and what is known about the call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from frontend.ir import Function, Index, Place
from frontend.ir.split_registers import plain
from frontend.program import NOWHERE, Expr, Location, Lvalue, Read, Var, substitute
from frontend.program.fold import fold
from frontend.records import dataclass


def qualified(function: Function, register: str, level: int = 0) -> str:
    """The name of a function's register in a thread's automaton."""
    owner = function.original or function.name
    name = f"{owner}~{level}::{register}" if level else f"{owner}::{register}"
    return f"{name}'" if any(s.name == name for s in function.memory) else name


@dataclass(slots=True)
class ThreadRegisters:
    """The registers that the functions of a thread brought with them: name -> (variable, shown name or '')."""

    known: dict[str, tuple[Var, str]] = field(default_factory=dict)

    def of(self, function: Function, level: int = 0) -> Callable[[Lvalue], Expr | None]:
        """Renames what the function's expressions read."""
        names = {r.name: Var(qualified(function, r.name, level), r.type) for r in function.registers}
        for r in function.registers:
            new = names[r.name]
            self.known.setdefault(new.name, (new, "" if r.name.startswith("%") else plain(r.name)))

        def rename(v: Lvalue) -> Expr | None:
            assert isinstance(v, Var), v
            return Read(names[v.name])

        return rename


@dataclass(frozen=True, slots=True)
class CallFrame:
    """A function being expanded."""

    function: Function
    rename: Callable[[Lvalue], Expr | None]
    once: bool
    """Whether the body runs at most once in the program."""
    cyclic: frozenset[int]
    """Locations of the function on a cycle."""
    nesting: tuple[int, int]
    """How deep in atomic and critical sections the function is called."""
    inner: bool = False
    """A recursive function called inside an atomic section: its own ones, which it ends itself, change nothing."""
    called: Location = NOWHERE
    """Where it is called; of a function with one copy for all callers, the first call."""
    level: int = 0
    """Of a recursive function that is expanded for this very call: how many of its group are being expanded; else 0."""

    def expr(self, e: Expr) -> Expr:
        return fold(substitute(e, self.rename))

    def var(self, v: Var) -> Var:
        new = self.rename(v)
        assert isinstance(new, Read) and isinstance(new.lvalue, Var)
        return new.lvalue

    def place(self, place: Place) -> Place:
        """The place over renamed registers."""
        base = place.base if isinstance(place.base, str) else self.expr(place.base)
        path = tuple(Index(self.expr(s.value)) if isinstance(s, Index) else s for s in place.path)
        return Place(base, path, place.type, place.base_type)
