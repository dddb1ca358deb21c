"""When threads run, as far as flags of creation and joining tell: a template is *dead* while none of its threads can step.

The first template that runs once and waits for no flag is the *starter* (`main`). At its start all others wait for their flags.
"""

from __future__ import annotations

from frontend.program import Assign, Assume, Const, Edge, Program, Read, Values, Var, op_writes, primitive, truth
from frontend.program.connectives import conjuncts


class Lifetimes:
    def __init__(self, program: Program) -> None:
        self.program = program
        self._zero = {v.name for v in program.globals if not v.is_array and v.start == Values(0)}
        self.flags: dict[int, str] = {}
        """By template the flag that all its first steps wait for and take back."""
        for n in range(len(program.templates)):
            flag = self._flag(n)
            if flag is not None:
                self.flags[n] = flag
        waiting = [n for n in range(len(program.templates)) if n not in self.flags]
        alone = len(waiting) == 1 and program.templates[waiting[0]].count == 1
        self.starter = waiting[0] if alone else None
        """The template that runs alone at the start; None if there is no such one."""
        self.others = frozenset(self.flags)
        self._creates = {n: self._created(n) for n in range(len(program.templates))}
        self.done = {name: n for n in self.flags if (name := self._done(n)) is not None}
        """By flag the template whose one thread has ended when it is set."""

    def at_start(self, template: int) -> frozenset[int]:
        return self.others if template == self.starter else frozenset()

    def alone(self, template: int, dead: frozenset[int]) -> bool:
        """Whether no other thread runs."""
        return template == self.starter and dead == self.others

    def after(self, template: int, dead: frozenset[int], edge: Edge) -> frozenset[int]:
        """The dead ones after a step."""
        if template != self.starter:
            return dead
        for part in primitive(edge.op):
            if isinstance(part, Assume):
                dead |= {self.done[c.lvalue.name] for c in conjuncts(truth(part.cond)) if isinstance(c, Read)
                         and isinstance(c.lvalue, Var) and c.lvalue.name in self.done}
        return dead - self.begun(edge)

    def begun(self, edge: Edge) -> frozenset[int]:
        """The templates of which threads may run after a step that creates some."""
        written = set(op_writes(edge.op))
        found = {n for n, flag in self.flags.items() if flag in written}
        return frozenset(found).union(*(self._creates[n] for n in found)) if found else frozenset()

    def ends(self, template: int, edge: Edge) -> bool:
        """Whether the step says that its thread has ended."""
        return any(name in self.done and self.done[name] == template for name in op_writes(edge.op))

    def _flag(self, n: int) -> str | None:
        cfa = self.program.templates[n].cfa
        if any(e.target == cfa.start for e in cfa.edges):
            return None
        found: set[str] | None = None
        for e in cfa.edges:
            if e.source == cfa.start:
                parts = list(primitive(e.op))
                tested = {c.lvalue.name for p in parts if isinstance(p, Assume) for c in conjuncts(truth(p.cond))
                          if isinstance(c, Read) and isinstance(c.lvalue, Var)} & self._zero
                found = tested if found is None else found & tested
        return min(found) if found else None

    def _created(self, n: int) -> frozenset[int]:
        """The templates that threads of a template may create, and those of these."""
        found: set[int] = set()
        todo = [n]
        while todo:
            k = todo.pop()
            written = {name for e in self.program.templates[k].cfa.edges for name in op_writes(e.op)
                       if name != self.flags.get(k) or not _takes_back(e, name)}
            new = {k for k, flag in self.flags.items() if flag in written} - found
            found |= new
            todo += sorted(new)
        return frozenset(found)

    def _done(self, n: int) -> str | None:
        """What only the one thread of the template sets, with its last step."""
        t = self.program.templates[n]
        if t.count != 1:
            return None
        sources = {e.source for e in t.cfa.edges}
        last = [{name for name in op_writes(e.op) if name in self._zero} for e in t.cfa.edges if e.target not in sources]
        found = set.intersection(*last) if last else set()
        for other, template in enumerate(self.program.templates):
            for e in template.cfa.edges:
                if other != n or e.target in sources:
                    found -= set(op_writes(e.op))
        return min(found) if found else None


def _takes_back(edge: Edge, flag: str) -> bool:
    """Whether all that the step does to the flag is to clear it."""
    return all(isinstance(p, Assign) and isinstance(p.value, Const) and p.value.value == 0
               for p in primitive(edge.op) if flag in op_writes(p))
