"""What comes before an access in its step: the conditions that decide whether control gets to it.

In programs made from C an access stands behind no condition but the scheduler's; all that is here holds for any program.
"""

from __future__ import annotations

from frontend.program import Access, Assume, Block, Edge, Element, Op, Program, name_of, op_reads, op_writes, primitive, variables


class Prefixes:
    """The prefixes of accesses of one program."""

    def __init__(self, program: Program) -> None:
        self._shared = frozenset(v.name for v in program.globals)
        self._ghosts = frozenset(v.name for v in program.globals if v.ghost)

    def before(self, edge: Edge, access: Access) -> Block:
        """What precedes the access in its step, up to the last condition that has to pass for it to be next.

        A guard over ghost globals only is the scheduler's: it suspends the thread, and a suspended thread's next access counts.
        """
        found: list[Op] = []
        for part in primitive(edge.op):
            if access.variable in op_writes(part) or access.variable in map(name_of, op_reads(part)):
                break
            if not (isinstance(part, Assume) and self.by_scheduler(part)):
                found.append(part)
        while found and not isinstance(found[-1], Assume):
            found.pop()
        return Block(tuple(found))

    def by_scheduler(self, guard: Assume) -> bool:
        seen = variables(guard.cond) & self._shared
        return bool(seen) and seen <= self._ghosts

    def moving(self, edge: Edge, access: Access) -> frozenset[str]:
        """The globals that decide whether the access is next, and which element it means: others may change them meanwhile."""
        read = {name_of(v) for v in op_reads(self.before(edge, access))}
        if isinstance(access.lvalue, Element) and not access.whole:
            read |= variables(access.lvalue.index)
        return self._shared & read
