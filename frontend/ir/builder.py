"""Growing the control-flow graph of one function, and its final compact form."""

from __future__ import annotations

from dataclasses import replace

from frontend.ir.instructions import Address, Call, Forget, Guard, Instr, IrEdge, Load, Nop, Set
from frontend.program import FALSE, TRUE, Expr, Location, Read, Scalar, Var, negate, truth
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Finished:
    """Locations 0 .. size-1 that the start reaches, plus the exit."""

    size: int
    start: int
    exit: int
    edges: tuple[IrEdge, ...]


class GraphBuilder:
    """A graph under construction with a current location, to which edges are added.

    A location is completed once: by an edge that leaves it, by branches, or by a jump, which makes it the same location
    as its target. After code that does not go on the current location is a fresh one that nothing reaches.
    """

    def __init__(self) -> None:
        self._same: list[int] = []
        self._edges: list[IrEdge] = []
        self._into: dict[int, int] = {}
        self._temporaries = 0
        self.registers: dict[str, Var] = {}
        self.reserved: set[str] = set()
        """Names that belong to memory: a register and a static of one function must not share one."""
        self.start = self.location()
        self.current = self.start

    def location(self) -> int:
        """A fresh location that nothing leaves or reaches."""
        self._same.append(len(self._same))
        return len(self._same) - 1

    def find(self, q: int) -> int:
        """The representative of a location."""
        while self._same[q] != q:
            self._same[q] = self._same[self._same[q]]
            q = self._same[q]
        return q

    @property
    def mark(self) -> tuple[int, int]:
        """Changes whenever something was added."""
        return len(self._edges), self.find(self.current)

    def register(self, name: str, scalar: Scalar) -> Var:
        """A register of this name, or of a name derived from it if that is taken."""
        unique, n = name, 1
        while unique in self.registers or unique in self.reserved:
            n += 1
            unique = f"{name}#{n}"
        self.registers[unique] = Var(unique, scalar)
        return self.registers[unique]

    def temporary(self, scalar: Scalar) -> Var:
        self._temporaries += 1
        return self.register(f"%{self._temporaries}", scalar)

    def emit(self, instr: Instr, where: Location, text: str) -> None:
        """An edge from the current location to a fresh one, which becomes current."""
        target = self.location()
        self._into[target] = len(self._edges)
        self._edges.append(IrEdge(self.current, target, instr, where, text))
        self.current = target

    def guard(self, cond: Expr, target: int, where: Location, text: str) -> None:
        """A guarded edge from the current location, which stays current so that its siblings can follow."""
        if cond != FALSE:
            self._edges.append(IrEdge(self.current, target, Guard(cond), where, text))

    def branch(self, cond: Expr, yes: int, no: int, where: Location, text: str) -> None:
        """Leave the current location for `yes` or `no`."""
        cond = truth(cond)
        if cond in (TRUE, FALSE):
            self.jump(yes if cond == TRUE else no)
        else:
            self.guard(cond, yes, where, text)
            self.guard(negate(cond), no, where, text)
            self.current = self.location()

    def jump(self, target: int) -> None:
        """Control goes on at `target`; what follows is not reached from here."""
        here, there = self.find(self.current), self.find(target)
        if here == there:
            self._edges.append(IrEdge(here, there, Nop()))
        else:
            self._same[here] = there
        self.current = self.location()

    def stop(self) -> None:
        """Control does not go on."""
        self.current = self.location()

    def retarget(self, temporary: Expr, register: Var) -> bool:
        """Whether the edge into the current location computes `temporary`; if so it now computes `register` instead."""
        at = self._into.get(self.current)
        if at is None or not isinstance(temporary, Read) or not isinstance(temporary.lvalue, Var):
            return False
        edge, var = self._edges[at], temporary.lvalue
        if var.type != register.type or not var.name.startswith("%"):
            return False
        match edge.instr:
            case Load(target=t, place=place) if t == var:
                new: Instr = Load(register, place)
            case Address(target=t, place=place) if t == var:
                new = Address(register, place)
            case Call(result=t) as call if t == var:
                new = replace(call, result=register)
            case Set(target=t) if t == var:
                new = replace(edge.instr, target=register)
            case Forget(targets=(t,)) as forget if t == var:
                new = replace(forget, targets=(register,))
            case _:
                return False
        self._edges[at] = replace(edge, instr=new)
        self.registers.pop(var.name, None)
        return True

    def added(self, since: tuple[int, int]) -> list[IrEdge]:
        """The edges added after `mark` gave `since`."""
        return self._edges[since[0]:]

    def finish(self, exit_: int) -> Finished:
        """The graph with jumps resolved and unreachable parts gone, numbered in the order of the edges from the start."""
        leaving: dict[int, list[IrEdge]] = {}
        for edge in self._edges:
            leaving.setdefault(self.find(edge.source), []).append(edge)
        start, exit_ = self.find(self.start), self.find(exit_)
        reached, todo = {start}, [start]
        while todo:
            for edge in leaving.get(todo.pop(), ()):
                target = self.find(edge.target)
                if target not in reached:
                    reached.add(target)
                    todo.append(target)
        number = {start: 0}
        kept = []
        for edge in self._edges:
            source, target = self.find(edge.source), self.find(edge.target)
            if source in reached and not (source == target and isinstance(edge.instr, Nop) and len(leaving[source]) > 1):
                source, target = number.setdefault(source, len(number)), number.setdefault(target, len(number))
                kept.append(IrEdge(source, target, edge.instr, edge.location, edge.text))
        end = number.setdefault(exit_, len(number))
        return Finished(len(number), 0, end, tuple(kept))
