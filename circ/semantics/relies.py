"""What threads assume of each other (`Program.relies`), on explicit states: whether a step of one breaks it for another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from circ.semantics.evaluation import RUNTIME, Coder, Undefined, Value
from circ.semantics.interpreter import Globals, LocalState, Machine, State
from frontend.annotations.attached import PRIME, TID
from frontend.program import Assume, Expr, Program, Rely, Var, primitive, reads, variables


class Relies:
    """The assumptions of a program made executable."""

    def __init__(self, machine: Machine) -> None:
        self._machine, self._program = machine, machine.program
        self._slots = {v.name: i for i, v in enumerate(self._program.globals)}
        self._slots |= {f"{name}{PRIME}": len(self._slots) + i for name, i in dict(self._slots).items()}
        index = machine.index
        self._of: list[list[tuple[Rely, Callable[..., int]]]] = [[] for _ in self._program.templates]
        for rely in self._program.relies:
            self._of[index[rely.template]].append((rely, self._compiled(rely.cond)))
        self._tids = [machine.slot(i, TID) for i in range(len(self._program.templates))]
        self._starts = [self._start_guards(i) for i in range(len(self._program.templates))]

    def _compiled(self, e: Expr) -> Callable[..., int]:
        def place(name: str) -> tuple[str, str, int]:
            return ("tid", "l", 0) if name == TID else (f"g[{self._slots[name]}]", "g", self._slots[name])

        coder = Coder(self._program.ints, place)
        for v in reads(e):
            if isinstance(v, Var):
                text, owner, slot = place(v.name)
                coder.lines.append(f"if {text} is None: raise Undefined(({owner!r}, {slot}, None))")
        coder.lines.append(f"return {coder.value(e)}")
        scope: dict[str, Any] = {**RUNTIME, "Undefined": Undefined}
        exec("def value(g, tid):\n    " + "\n    ".join(coder.lines), scope)
        made: Callable[..., int] = scope["value"]
        return made

    def _start_guards(self, template: int) -> list[Callable[..., int]]:
        """What a thread's number has to satisfy for it ever to start."""
        cfa = self._program.templates[template].cfa
        starts = [e for e in cfa.edges if e.source == cfa.start]
        if len(starts) != 1 or any(e.target == cfa.start for e in cfa.edges):
            return []
        return [self._compiled(p.cond) for p in primitive(starts[0].op) if isinstance(p, Assume) and variables(p.cond) == {TID}]

    def broken(self, crew: Sequence[int], threads: Sequence[LocalState], mover: int, before: Globals,
               after: Globals) -> Rely | None:
        """An assumption of a thread other than `mover` that a step from `before` to `after` breaks.

        Raises Undefined if that depends on a value that is open.
        """
        both = (*before, *after)
        for other, template in enumerate(crew):
            if other == mover:
                continue
            tid = self._tid(template, threads[other])
            if not all(guard(both, tid) for guard in self._starts[template]):
                continue
            for rely, holds in self._of[template]:
                if not holds(both, tid):
                    return rely
        return None

    def _tid(self, template: int, thread: LocalState) -> Value:
        where = self._tids[template]
        return None if where is None else thread[1][where[1]]


def broken_at_end(program: Program, machine: Machine, crew: Sequence[int], states: Sequence[State],
                  movers: Sequence[int]) -> Rely | None:
    """The assumption that the last step of a run breaks; a step inside an atomic section is part of the one that ends it."""
    if not movers or not program.relies:
        return None
    mover = movers[-1]
    atomic = program.templates[crew[mover]].cfa.atomic
    if states[-1].threads[mover][0] in atomic:
        return None
    begun = len(states) - 2
    while states[begun].threads[mover][0] in atomic:
        begun -= 1
    return Relies(machine).broken(crew, states[-1].threads, mover, states[begun].globals, states[-1].globals)
