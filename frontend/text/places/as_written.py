"""Programs in the user's words: handlers and registers that macros name are called as the source has them.

`ISR(USART0_RX_vect)` defines a function `__vector_18`, and `PORTB` is `*(volatile uint8_t *)(0x18 + 0x20)`: what a macro
expands to stands at the place of the macro, so the source there has the name. Only names and texts change, and each name to
one that nothing else has. A platform that is named has names as well; what the source says, which may be another name for the
same, comes first. A bit of a register that decides about interrupts is called after the register.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import field, replace

from frontend.program import AllAt, Assumption, Block, Cfa, Edge, FunctionText, Location, Op, Program, ThreadTemplate
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class PlatformNames:
    """What a platform's table calls handlers and registers: the names of vectors by functions, addresses by registers."""

    vectors: Mapping[str, str] = field(default_factory=dict)
    registers: Mapping[str, int] = field(default_factory=dict)


_VECTOR = re.compile(r"__vector_\d+")
_REGISTER = re.compile(r"\*0x[0-9a-f]+")
_WORD = re.compile(r"[A-Za-z_]\w*")
_EXPANDED = re.compile(r"\*\((?:volatile )?\w+ \*\)\(?(0x[0-9A-Fa-f]+|\d+)(?: \+ (0x[0-9A-Fa-f]+|\d+)\))?")
"""A register as the text of a step has it."""


def as_written(program: Program, paths: Collection[str], text: Callable[[str], str], platform: PlatformNames,
               rename: bool = True) -> Program:
    """The program with the names that its files have at its places; their texts are looked at only where that is needed.

    `rename`: handlers are renamed; else their names stay, and only what is shown of them changes.
    """
    lines: dict[str, list[str]] = {}

    def word(place: Location) -> str:
        if place.file in paths and place.file not in lines:
            lines[place.file] = text(place.file).split("\n")
        found = lines.get(place.file, [])
        line = found[place.line - 1] if 0 < place.line <= len(found) else ""
        here = _WORD.match(line, place.column - 1) if place.column else None
        return here[0] if here is not None else ""

    handlers, registers, ports = _handlers(program, word), _registers(program, word), _ports(program, word)
    shown = {t.name: called for t in program.templates if (called := handlers.get(t.name) or platform.vectors.get(t.name))}
    addresses: dict[int, str] = {}
    for register, address in platform.registers.items():
        addresses.setdefault(address, register)
    taken = {v.shown for v in program.globals} | {v.name for v in program.globals} | set(registers.values())
    for v in program.globals:
        new = addresses.get(int(v.shown[1:], 16)) if _REGISTER.fullmatch(v.shown) and v.shown not in registers else None
        if new is not None and new not in taken:
            registers[v.shown] = new
            taken.add(new)
    addresses |= {**ports, **{int(old[1:], 16): new for old, new in registers.items()}}
    if handlers or shown or registers or addresses:
        program = _Renaming(handlers if rename else {}, shown, registers, addresses).program(program)
    return _with_named_bits(program)


def _with_named_bits(program: Program) -> Program:
    """Bits of registers are called after the registers: `bit 2 of TIMSK`."""
    called = {v.name: v.shown for v in program.globals if v.name.startswith("*") and not _REGISTER.fullmatch(v.shown)}
    bits = {v.name: v.name.rpartition(".") for v in program.globals if v.ghost and v.name.rpartition(".")[0] in called}
    if not bits:
        return program
    shown = {name: f"bit {bit} of {called[register]}" for name, (register, _, bit) in bits.items()}
    return replace(program, globals=tuple(replace(v, shown=shown[v.name]) if v.name in shown else v for v in program.globals))


def _handlers(program: Program, word: Callable[[Location], str]) -> dict[str, str]:
    """New names for templates."""
    taken = {t.name for t in program.templates} | {v.name for v in program.globals}
    found = {t.name: word(t.location) for t in program.templates if _VECTOR.fullmatch(t.name)}
    names = list(found.values())
    return {old: new for old, new in found.items() if new and new not in taken and names.count(new) == 1}


def _registers(program: Program, word: Callable[[Location], str]) -> dict[str, str]:
    """New names to show for registers at fixed addresses, where all accesses agree on one."""
    shown = {v.name: v.shown for v in program.globals if _REGISTER.fullmatch(v.shown)}
    called: dict[str, set[str]] = {}
    for template in program.templates if shown else ():
        for edge in template.cfa.edges:
            for access in edge.accesses:
                if access.variable in shown:
                    called.setdefault(shown[access.variable], set()).add(word(access.location))
    taken = {v.shown for v in program.globals} | {v.name for v in program.globals}
    found = {old: next(iter(new)) for old, new in called.items() if len(new) == 1}
    names = list(found.values())
    return {old: new for old, new in found.items() if new and new not in taken and names.count(new) == 1}


def _ports(program: Program, word: Callable[[Location], str]) -> dict[int, str]:
    """The words for registers that are read as a whole, by their addresses: what hardware may change is no variable."""
    called: dict[int, set[str]] = {}
    for template in program.templates:
        for edge in template.cfa.edges:
            found = _EXPANDED.fullmatch(edge.text)
            if found is not None:
                called.setdefault(_address(found), set()).add(word(edge.location))
    return {address: next(iter(words)) for address, words in called.items() if len(words) == 1 and all(words)}


def _address(found: re.Match[str]) -> int:
    return int(found[1], 0) + (int(found[2], 0) if found[2] else 0)


class _Renaming:
    def __init__(self, handlers: Mapping[str, str], shown: Mapping[str, str], registers: Mapping[str, str],
                 addresses: Mapping[int, str]) -> None:
        self.handlers, self.shown, self.registers, self.addresses = handlers, shown, registers, addresses
        words = sorted(map(re.escape, (*handlers, *registers)), key=len, reverse=True) or ["(?!)"]
        self.names = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)")

    def program(self, program: Program) -> Program:
        return replace(
            program, templates=tuple(map(self.template, program.templates)),
            globals=tuple(replace(v, shown=self.registers.get(v.shown, v.shown)) for v in program.globals),
            assumptions=tuple(map(self.assumption, program.assumptions)), warnings=tuple(map(self.assumption, program.warnings)),
            relies=tuple(replace(r, template=self.name(r.template)) for r in program.relies),
            functions=tuple(map(self.function, program.functions)))

    def function(self, function: FunctionText) -> FunctionText:
        calls = tuple((self.name(callee), where) for callee, where in function.calls)
        return replace(function, name=self.name(function.name), calls=calls)

    def name(self, name: str) -> str:
        return self.handlers.get(name, name)

    def template(self, template: ThreadTemplate) -> ThreadTemplate:
        cfa: Cfa = replace(template.cfa, edges=tuple(map(self.edge, template.cfa.edges)))
        if template.name not in self.handlers:
            return replace(template, shown=self.shown.get(template.name, template.shown), cfa=cfa)
        return replace(template, name=self.handlers[template.name], shown="", cfa=cfa)

    def edge(self, edge: Edge) -> Edge:
        accesses = tuple(replace(a, text=self.text(a.text)) if self.text(a.text) != a.text else a for a in edge.accesses)
        op, text = self.op(edge.op), self.text(edge.text)
        same = (op, text, accesses) == (edge.op, edge.text, edge.accesses)
        return edge if same else replace(edge, op=op, text=text, accesses=accesses)

    def op(self, op: Op) -> Op:
        match op:
            case AllAt(template=name) if name in self.handlers:
                return replace(op, template=self.handlers[name])
            case Block(ops=parts):
                return Block(tuple(map(self.op, parts)))
            case _:
                return op

    def assumption(self, said: Assumption) -> Assumption:
        return replace(said, text=self.text(said.text))

    def text(self, text: str) -> str:
        """A text for people, in which registers may be written out."""
        def register(found: re.Match[str]) -> str:
            return self.addresses.get(_address(found), found[0])

        if "*" in text:
            text = _EXPANDED.sub(register, text)
        return self.names.sub(lambda found: self.handlers.get(found[0]) or self.registers[found[0]], text)
