"""Memory-mapped registers that an interrupt table names: which of their bits are what the program wrote.

The bits that the table names read back as written; every other bit reads as anything, because hardware changes it. A bit
that arms a handler is the hardware's once it is set: it reads as 1 or 0 while the handler is armed, as 0 otherwise, and to
write 0 to it has no effect. The status register's bit is the ghost `IE`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property

from frontend.ir.interrupt_table import Bit, HandlerRule, InterruptTable
from frontend.memory.leaves import BYTE
from frontend.memory.objects import KnownRegisters
from frontend.program import (
    BOOL,
    FALSE,
    TRUE,
    AccessKind,
    Arbitrary,
    Assign,
    Assume,
    Binary,
    Block,
    Const,
    Doubt,
    Edge,
    Expr,
    Havoc,
    Ite,
    Lvalue,
    Op,
    Program,
    Read,
    ThreadTemplate,
    Var,
    Variable,
    name_of,
    op_reads,
    op_writes,
    primitive,
    reads,
    substitute,
)
from frontend.program.bits import bit
from frontend.program.fold import fold
from frontend.program.schedule_ghosts import COUNT, IE, ghost, once_more
from frontend.records import dataclass

_WHERE = Doubt("this may be the status register of the processor: --platform tells", (IE.name,), step=True)
_HARDWARE = Var("<hardware>", BYTE)
"""What hardware put into the bits that are not tracked."""


def register(address: int) -> Var:
    return Var(f"*{address:#x}", BYTE)


def tracked(address: int, k: int) -> Var:
    """A bit that reads back as it was written."""
    return Var(f"*{address:#x}.{k}", BOOL)


def armed(handler: str) -> Var:
    return Var(f"<{handler} armed>", COUNT)


@dataclass(frozen=True)
class HardwareRegisters:
    """The registers of a table as far as the handlers of one program (`rules`, by function) need them."""

    table: InterruptTable
    rules: Mapping[str, HandlerRule]

    @cached_property
    def masks(self) -> Mapping[int, int]:
        """The tracked bits, by address: those that only the program changes, and those that arm its handlers."""
        masks = {self.table.status[0]: 1 << self.table.status[1]}
        own = {b for rule in self.rules.values() for b in rule.armed_by}
        for rule in self.table.rules:
            arming = {b for b in rule.armed_by if b not in own}
            triggers = (part for conditions in rule.triggered for part in conditions)
            for part in (*rule.enable, *rule.effects, *rule.stays_armed, *triggers, *(b for b in rule.armed_by if b in own)):
                if isinstance(part, Bit) and replace(part, on=True) not in arming:
                    masks[part.address] = masks.get(part.address, 0) | 1 << part.bit
        return masks

    @cached_property
    def _addresses(self) -> Mapping[str, int]:
        """The addresses of the tracked registers by the names of the variables that stand for them."""
        return {register(a).name: a for a in self.masks}

    @cached_property
    def _looked_at(self) -> frozenset[str]:
        """Every register in which anything happens that has to be said."""
        arming = (part if isinstance(part, int) else part.address for rule in self.rules.values() for part in rule.armed_by)
        return frozenset((*self._addresses, *(register(a).name for a in arming)))

    def known(self) -> KnownRegisters:
        """What the memory of the program has to know of the registers."""
        arming = {part if isinstance(part, int) else part.address for rule in self.rules.values() for part in rule.armed_by}
        names = {"SREG": self.table.status[0], **self.table.registers}
        return KnownRegisters(frozenset(self.masks), frozenset(arming), names)

    @property
    def _perhaps(self) -> str:
        """The register that may be the status register, too."""
        return "" if self.table.perhaps is None else register(self.table.perhaps).name

    def needed(self) -> list[Variable]:
        """The variables that conditions over registers may read, as they are after reset."""
        made = [ghost(tracked(a, k)) for a, mask in sorted(self.masks.items()) for k in range(8) if mask >> k & 1]
        return made + [ghost(armed(name)) for name, rule in self.rules.items() if rule.armed_by]

    def act(self, part: Bit) -> Op:
        """Hardware sets or clears a bit."""
        return Assign(tracked(part.address, part.bit), Const(int(part.on), BOOL))

    def track(self, program: Program) -> Program:
        """The program with every read and write of a register of the table meaning what it should.

        The status register is no data: handlers give back what they found in it, and its bit is what keeps others out.
        """
        status = register(self.table.status[0]).name
        globals_ = [replace(v, ghost=True) if v.name == status else v for v in program.globals]
        templates = tuple(map(self._template, program.templates))
        touched = {n for t in templates for e in t.cfa.edges for n in (*op_writes(e.op), *map(name_of, op_reads(e.op)))}
        known = {v.name for v in globals_}
        extra = [ghost(IE), *self.needed()]
        globals_ += [v for v in extra if v.name in touched and v.name not in known]
        return replace(program, globals=tuple(globals_), templates=templates)

    # ------------------------------------------------------------------------------------------- edges
    def _template(self, template: ThreadTemplate) -> ThreadTemplate:
        edges = tuple(self._edge(e) for e in template.cfa.edges)
        if not any(_HARDWARE in p.targets for e in edges for p in primitive(e.op) if isinstance(p, Havoc)):
            return replace(template, cfa=replace(template.cfa, edges=edges))
        own = Variable(_HARDWARE.name, BYTE, None, Arbitrary(), "", ghost=True)
        return replace(template, cfa=replace(template.cfa, edges=edges), locals=(*template.locals, own))

    def _edge(self, edge: Edge) -> Edge:
        status = register(self.table.status[0]).name
        if any(a.variable == status for a in edge.accesses):
            edge = replace(edge, accesses=tuple(
                replace(a, kind=AccessKind.SYNC) if a.variable == status else a for a in edge.accesses))
        if self._perhaps in op_writes(edge.op):
            edge = replace(edge, op=Block((*primitive(edge.op), Havoc((IE,)))), doubts=(*edge.doubts, _WHERE))
        if self._looked_at.isdisjoint(op_writes(edge.op)) and self._looked_at.isdisjoint(map(name_of, op_reads(edge.op))):
            return edge
        ops: list[Op] = []
        lost: list[str] = []
        addresses = self._addresses
        for part in primitive(edge.op):
            match part:
                case Assign(target=target, value=value):
                    seen, first = self._reading(value)
                    stored: Op = Havoc((target,)) if name_of(target) in addresses else Assign(target, seen)
                    ops += [*first, *self._written((target,), seen), stored]
                case Assume(cond=cond):
                    seen, first = self._reading(cond)
                    ops += [*first, Assume(seen)]
                case Havoc(targets=targets):
                    open_ = self._written(targets)
                    ops += [part, *open_]
                    lost += [v.name for p in open_ for v in _lost(p)]
                case _:
                    ops.append(part)
        if ops == list(primitive(edge.op)):
            return edge
        doubts = (*edge.doubts, Doubt("what is written to a register as a part of more is not followed", tuple(lost))) if lost \
            else edge.doubts
        return replace(edge, op=ops[0] if len(ops) == 1 else Block(tuple(ops)), doubts=doubts)

    def _reading(self, e: Expr) -> tuple[Expr, list[Op]]:
        """The expression with registers as they read, and what has to happen first."""
        masks = self.masks
        addresses = self._addresses
        found = [addresses[v.name] for v in reads(e) if isinstance(v, Var) and v.name in addresses]
        if not found:
            return e, []
        values = {register(a).name: self._value(a, masks[a]) for a in found}
        seen = substitute(e, lambda v: values.get(v.name) if isinstance(v, Var) else None)
        open_ = any(_HARDWARE in set(_vars(value)) for value in values.values())
        return fold(seen), [Havoc((_HARDWARE,))] if open_ else []

    def _value(self, address: int, mask: int) -> Expr:
        hardware = Read(_HARDWARE)
        arming = 0
        parts: list[Expr] = []
        for name, k in self._arming(address):
            arming |= 1 << k
            some = Binary("!=", Read(armed(name)), Const(0, COUNT))
            parts.append(Ite(some, Binary("&", hardware, Const(1 << k, BYTE)), Const(0, BYTE)))
        if address == self.table.status[0]:
            arming |= 1 << self.table.status[1]
            parts.append(Ite(Read(IE), Const(1 << self.table.status[1], BYTE), Const(0, BYTE)))
        exact, rest = mask & ~arming, 0xFF & ~(mask | arming)
        for k in (k for k in range(8) if exact >> k & 1):
            parts.append(Ite(Read(tracked(address, k)), Const(1 << k, BYTE), Const(0, BYTE)))
        if rest:
            parts.append(Binary("&", hardware, Const(rest, BYTE)))
        whole = parts[0]
        for part in parts[1:]:
            whole = Binary("|", whole, part)
        return whole

    def _arming(self, address: int) -> Iterable[tuple[str, int]]:
        for name, rule in self.rules.items():
            for part in rule.armed_by:
                if isinstance(part, Bit) and part.address == address:
                    yield name, part.bit

    def _written(self, targets: tuple[Lvalue, ...], value: Expr | None = None) -> list[Op]:
        """What follows from a write to a register, of `value` if it is known."""
        names = {v.name for v in targets if isinstance(v, Var)}
        ops: list[Op] = []

        def put(into: Var, k: int) -> None:
            ops.append(Havoc((into,)) if value is None else Assign(into, bit(value, k)))

        for address, mask in self.masks.items():
            if register(address).name not in names:
                continue
            arming = {k for _, k in self._arming(address)}
            for k in range(8):
                if address == self.table.status[0] and k == self.table.status[1]:
                    put(IE, k)
                elif mask >> k & 1 and k not in arming:
                    put(tracked(address, k), k)
        for name, rule in self.rules.items():
            for part in rule.armed_by:
                if isinstance(part, int) and register(part).name in names:
                    ops.append(Assign(armed(name), once_more(armed(name))))
                elif isinstance(part, Bit) and register(part.address).name in names:
                    ops += self._set_bit(armed(name), TRUE if value is None else bit(value, part.bit), value is None)
        return ops

    def _set_bit(self, count: Var, is_set: Expr, perhaps: bool) -> list[Op]:
        """To set a bit that is set already arms once more only if hardware had cleared it meanwhile."""
        again = Binary("!=", Binary("&", Read(_HARDWARE), Const(1, BYTE)), Const(0, BYTE))
        if perhaps:
            is_set = again
        if is_set == FALSE:
            return []
        more = Ite(Binary("==", Read(count), Const(0, COUNT)), Const(1, COUNT), Ite(again, Const(2, COUNT), Read(count)))
        return [Havoc((_HARDWARE,)), Assign(count, more if is_set == TRUE else Ite(is_set, more, Read(count)))]


def _lost(op: Op) -> Iterable[Var]:
    """The ghosts whose values behind an operation on a register are open: not a count that any write at all counts up."""
    match op:
        case Assign(target=Var() as v, value=value) if value != once_more(v):
            yield v
        case Havoc(targets=targets):
            yield from (t for t in targets if isinstance(t, Var) and t != _HARDWARE)


def _vars(e: Expr) -> Iterable[Var]:
    return (v for v in reads(e) if isinstance(v, Var))
