"""In words what memory orders hand over, for `--explain`: which value of which atomic variable, stored and read where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from circ.abstraction.told_values import LARGEST
from circ.views.memory_orders.fenced import fenced_variables
from circ.views.memory_orders.orders import exact_variables, stale_flags
from frontend.program import FENCE, Access, AccessKind, Assign, Const, Edge, MemoryOrder, Program, name_of, op_writes, primitive

MOST_VALUES = 3


def flags_beside(program: Program, focus: str | None, exact: Iterable[str] = ()) -> list[str]:
    """Flags other than the focus and these whose values tell something in the view with this focus."""
    return sorted(stale_flags(program, frozenset({*exact_variables(program, focus), *exact, focus})))


def transfers(program: Program, variable: str, atomics: Iterable[str | None]) -> Iterator[str]:
    """What each of the atomic variables has to do with the variable; None stands for those that are sequentially consistent,
    `FENCE` for those that fences put in order."""
    for name in atomics:
        if name is None and next(exact_variables(program, None), None) is None:
            continue
        if name is None:
            yield "the sequentially consistent accesses have one order; values that weaker ones read are taken for anything"
        elif name == FENCE:
            fences = _lines(a for _, _, a in program.accesses[FENCE] if a.order is MemoryOrder.SEQ_CST)
            names = ", ".join(f"'{program.variable(x).shown or x}'" for x in sorted(fenced_variables(program)))
            yield f"memory orders: fences that are sequentially consistent ({fences}) put the accesses to {names} into one order"
        else:
            yield f"memory orders: {_transfer(program, variable, name)}"


def _transfer(program: Program, variable: str, name: str) -> str:
    shown = program.variable(name).shown or name
    found = [(e, a) for _, e, a in program.accesses[name] if a.kind is AccessKind.ATOMIC and not e.stale]
    fences = [a.order for _, _, a in program.accesses.get(FENCE, ())]
    stores = [(e, a) for e, a in found if a.write and a.order.releases]
    loads = [a for _, a in found if not a.write and a.order.acquires]
    by_release, by_acquire = "release", "acquire"
    if not stores and any(o.releases for o in fences):
        stores, by_release = [(e, a) for e, a in found if a.write], "a release fence before it"
    if not loads and any(o.acquires for o in fences):
        loads, by_acquire = [a for _, a in found if not a.write], "an acquire fence behind it"
    if not stores or not loads:
        return f"'{shown}' hands nothing over; its reads and stores are in one order"
    over = program.variable(variable).shown or variable
    stored = f"stored at {_lines(a for _, a in stores)} with {by_release}"
    return f"{_values(stores, name)} '{shown}' hands over '{over}': {stored}, read at {_lines(loads)} with {by_acquire}"


def _values(stores: list[tuple[Edge, Access]], name: str) -> str:
    """The constants that are stored, or any value; addresses are not told by their numbers."""
    values: dict[int, None] = {}
    for e, _ in stores:
        for part in primitive(e.op):
            match part:
                case Assign(target=target, value=Const(value=value)) if name_of(target) == name:
                    values[value] = None
                    if value >= LARGEST:
                        return "the address in"
                case _ if name in op_writes(part):
                    return "a value of"
    if not values or len(values) > MOST_VALUES:
        return "a value of"
    return f"value {' or '.join(str(v) for v in values)} of"


def _lines(accesses: Iterable[Access]) -> str:
    numbers = sorted({a.location.line for a in accesses})
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
