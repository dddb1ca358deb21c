"""Operations and accesses as a person reads them: locals without their function, globals as the user calls them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import assert_never

from frontend.program.cfa import Access
from frontend.program.expr import BOOL, Const, Element, Expr, Lvalue, Read, Var, show, show_lvalue, substitute, variables
from frontend.program.ops import AllAt, Assign, Assume, Block, Havoc, Op, show_op
from frontend.program.program import Program, ThreadTemplate
from frontend.program.schedule_ghosts import IE


class DisplayNames:
    """What the variables that a thread of the template sees are called."""

    def __init__(self, program: Program, template: ThreadTemplate) -> None:
        tails = [v.name.rpartition("::")[2] for v in template.locals]
        known = Counter([*tails, *(v.name for v in program.globals)])
        self._short = {v.name: (tail if known[tail] == 1 else v.name).partition("#")[0]  # of a second `i` in one function
                       for v, tail in zip(template.locals, tails, strict=True)}
        self._short |= {v.name: v.shown or v.name for v in program.globals}
        arrays = (v for v in (*program.globals, *template.locals) if v.dims)
        self._dims = {v.name: v.dims for v in arrays if self.variable(v.name).count("[]") == len(v.dims)}

    def variable(self, name: str) -> str:
        """A local `f::x` is plain `x` where nothing else that the thread sees is called so."""
        return self._short.get(name, name)

    def op(self, op: Op) -> str:
        """The operation in C syntax, an assume in brackets."""
        return show_op(self._op(op))

    def cell(self, access: Access) -> str:
        """The memory that is accessed: `x`, `s.f`, `a[i]`, or `a[..]` for any element."""
        if not access.whole:
            match access.lvalue:
                case Element(array=a, index=Const(value=i)):
                    return self.element(a, i)
            return show_lvalue(self._lvalue(access.lvalue))
        return self._any_element(access.variable)

    def plain_cell(self, access: Access) -> str:
        """The same without registers of circ's own, which say nothing to others: `a[..]` where one is the index."""
        own = isinstance(access.lvalue, Element) and any("%" in name for name in variables(access.lvalue.index))
        return self._any_element(access.variable) if own else self.cell(access)

    def _any_element(self, array: str) -> str:
        head, brackets, tail = self.variable(array).partition("[]")
        return f"{head}[..]{tail}" if brackets else f"{head}[..]"

    def element(self, array: str, index: int) -> str:
        """An element of an array, by one index for each of its dimensions."""
        parts = self.variable(array).split("[]")
        if array not in self._dims:
            return f"{parts[0]}[{index}]{'[]'.join(parts[1:])}"
        for position in range(len(parts) - 2, -1, -1):
            index, own = divmod(index, self._dims[array][position])
            parts[position] += f"[{own}]"
        return "".join(parts)

    def expr(self, e: Expr) -> str:
        return show(self._expr(e))

    def _lvalue(self, v: Lvalue) -> Lvalue:
        match v:
            case Var(name=n, type=t):
                return Var(self.variable(n), t)
            case Element(array=a, index=i, type=t):
                return Element(self.variable(a), self._expr(i), t)
            case _:
                assert_never(v)

    def _expr(self, e: Expr) -> Expr:
        def read(v: Lvalue) -> Expr:
            if isinstance(v, Var):
                return Read(Var(self.variable(v.name), v.type))
            return Read(Element(self.variable(v.array), v.index, v.type))  # substitute has renamed the index

        return substitute(e, read)

    def _op(self, op: Op) -> Op:
        match op:
            case Assume(cond=c):
                return Assume(self._expr(c))
            case Assign(target=t, value=e):
                return Assign(self._lvalue(t), self._expr(e))
            case Havoc(targets=ts, whole=ws):
                return Havoc(tuple(map(self._lvalue, ts)), tuple(map(self.variable, ws)))
            case AllAt():
                return op
            case Block(ops=ops):
                return Block(tuple(map(self._op, ops)))
            case _:
                assert_never(op)


_GROUPS = 4
"""Functions whose threads a sentence names."""


def threads_named(program: Program, names: Collection[str]) -> str:
    """Templates of these names in a sentence, the threads of one function together: `main and the 3 threads of worker`."""
    groups: dict[str, int] = {}
    for t in program.templates:
        if t.name in names:
            groups[t.called] = groups.get(t.called, 0) + 1
    words = []
    for called, n in groups.items():
        every = sum(t.called == called for t in program.templates)
        some = "the" if n == every else f"{n} of the"
        words.append(called if every == 1 else f"{some} {every} threads of {called}")
    if len(words) > _GROUPS:
        words[_GROUPS - 1:] = [f"{len(words) - _GROUPS + 1} more"]
    return words[0] if len(words) == 1 else " and ".join([", ".join(words[:-1]), words[-1]]) if words else ""


# --------------------------------------------------------------------------------------------------- formulas in words
_GHOST = re.compile(r"<(.+) (created|done|enabled)>")
_TEMPORARY = re.compile(r"([\w$]+)(?:#\d+)?::%\d+")
"""A value between two steps of one expression: `main::%6`."""
_STATES = {"created": ("does not run yet", "has been created"), "done": ("still runs", "has ended"),
           "enabled": ("is switched off", "is switched on")}


def formula_words(program: Program, formula: Expr) -> str:
    """A formula over globals as the user writes it; what we keep of interrupts, threads and bits of registers in words."""
    return text_in_words(program, show(formula))


def text_in_words(program: Program, text: str) -> str:
    """The same of a formula that is written out."""
    for v in program.globals:
        if v.ghost and v.type == BOOL and v.name in text:
            text = _spelled(text, v.name, condition(v.shown or v.name, [1]), condition(v.shown or v.name, [0]))
        elif v.shown and v.shown != v.name and v.name in text:
            text = _spelled(text, v.name, v.shown, f"!{v.shown}")
    return _TEMPORARY.sub(lambda found: f"what {found[1]} has read", text)


def _spelled(text: str, name: str, yes: str, no: str) -> str:
    """The text with other words for a variable, and for its negation."""
    return re.sub(rf"(!?)(?<![\w.:]){re.escape(name)}(?![\w.:])", lambda found: no if found[1] else yes, text)


def condition(shown: str, values: Collection[int], others: bool = False) -> str:
    """That a variable has one of the values, or (`others`) none of them; in words where it is one of our own."""
    numbers = sorted(values)
    if shown == IE.name and len(numbers) == 1:
        return "interrupts are on" if bool(numbers[0]) != others else "interrupts are off"
    ghost = _GHOST.fullmatch(shown)
    if ghost is not None and len(numbers) == 1:
        return f"{ghost[1].partition('#')[0]} {_STATES[ghost[2]][bool(numbers[0]) != others]}"
    if len(numbers) == 1 and shown.startswith("bit "):
        return f"{shown} is {int(bool(numbers[0]) != others)}"
    if len(numbers) == 1:
        return f"{shown} {'!=' if others else '=='} {numbers[0]}"
    return f"{shown} is neither {' nor '.join(map(str, numbers))}" if others else f"{shown} is {' or '.join(map(str, numbers))}"
