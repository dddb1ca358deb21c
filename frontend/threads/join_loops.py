"""Loops that join every thread that another loop has created, whatever their number is.

    for (i = 0; i < n; i++) pthread_create(&t[i], ...);        for (i = 0; i < n; i++) pthread_join(t[i], ...);

Behind such a loop all those threads have ended. That follows from the handles, too, but only by reasoning about all elements
of an array at once; so it is found here, by the shape of the program, and said on the way out of the loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from frontend.ir import Address, Call, Copy, Function, Guard, Index, IrEdge, Load, Place, Set, Store, defined
from frontend.ir.thread_library import THREAD_STARTERS, ThreadCall, names_of
from frontend.memory.points_to import FunctionEdge
from frontend.program import Binary, Cast, Const, Expr, Read, Var, negate, reads, substitute
from frontend.program.components import components
from frontend.program.fold import fold
from frontend.records import dataclass

_JOINS = names_of(ThreadCall.JOIN)


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop over a counter: from a constant in steps of one while a condition holds, all its exits being that condition."""

    inside: frozenset[int]
    head: int
    counter: Var
    first: Const
    bound: Expr
    """The condition for going on, with the counter replaced by `_COUNTER`."""
    exits: tuple[IrEdge, ...]
    call: IrEdge


def joined_everywhere(function: Function, mentions: Mapping[str, int]) -> dict[tuple[int, int], tuple[int, int]]:
    """For each edge on which a loop is left that has joined all threads: the call that has created them all.

    `mentions` counts, for each symbol, the instructions of the whole program that name it.
    """
    loops = [loop for c in _components(function) for loop in [_counting(function, frozenset(c))] if loop is not None]
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for creating in loops:
        for joining in loops:
            if _same(function, creating, joining, mentions):
                for edge in joining.exits:
                    found[edge.source, edge.target] = (creating.call.source, creating.call.target)
    return found


# --------------------------------------------------------------------------------------------------- loops
def _components(function: Function) -> list[list[int]]:
    graph: dict[int, list[int]] = {}
    for edge in function.edges:
        graph.setdefault(edge.source, []).append(edge.target)
    return [c for c in components(graph, function.size) if len(c) > 1]


def _counting(function: Function, inside: frozenset[int]) -> _Loop | None:
    """The component as a loop with a counter and one call that creates or joins a thread; None if it is none."""
    within = [e for e in function.edges if e.source in inside and e.target in inside]
    heads = {e.target for e in function.edges if e.source not in inside and e.target in inside}
    calls = [e for e in within if isinstance(e.instr, Call)]
    leaving = [e for e in function.edges if e.source in inside and e.target not in inside]
    if len(heads) != 1 or len(calls) != 1 or not _named(calls[0], (*THREAD_STARTERS, *_JOINS)):
        return None
    head = heads.pop()
    returning = _reaching(function, function.exit)
    exits = [e for e in leaving if e.target in returning or e.target == function.exit]
    going = [e for e in within if isinstance(e.instr, Guard) and e.source == head]
    if not exits or any(e.source != head or not isinstance(e.instr, Guard) for e in exits) or len(going) != 1:
        return None
    counted = [e for e in within if isinstance(e.instr, Set) and _is_next(e.instr)]
    if len(counted) != 1:
        return None
    step = counted[0].instr
    assert isinstance(step, Set) and isinstance(going[0].instr, Guard)
    if sum(1 for e in within if step.target in defined(e.instr)) != 1:
        return None
    # The call is made once in each round, before the counter moves on.
    if _reached(within, head, head, without=calls[0]) or calls[0].source in _from(within, counted[0].target, head):
        return None
    first = _before(function, inside, head, step.target)
    if first is None or any(t in _registers(going[0].instr.cond) and t != step.target for e in within for t in defined(e.instr)):
        return None
    bound = _over_counter(going[0].instr.cond, step.target)
    if any(not isinstance(e.instr, Guard) or fold(negate(going[0].instr.cond)) != fold(e.instr.cond) for e in exits):
        return None
    return _Loop(inside, head, step.target, first, bound, tuple(exits), calls[0])


def _named(edge: IrEdge, names: Iterable[str]) -> bool:
    return isinstance(edge.instr, Call) and edge.instr.callee in tuple(names)


def _is_next(step: Set) -> bool:
    return fold(step.value) == fold(Binary("+", Read(step.target), Const(1, step.target.type)))


def _registers(e: Expr) -> frozenset[Var]:
    return frozenset(v for v in reads(e) if isinstance(v, Var))


_COUNTER = "<counter>"


def _over_counter(e: Expr, counter: Var) -> Expr:
    return fold(substitute(e, lambda v: Read(Var(_COUNTER, counter.type)) if v == counter else None))


def _before(function: Function, inside: frozenset[int], head: int, counter: Var) -> Const | None:
    """The constant that the counter is set to on every way into the loop."""
    entering = [e for e in function.edges if e.target == head and e.source not in inside]
    values: set[Const] = set()
    for edge in entering:
        here: IrEdge | None = edge
        while here is not None and counter not in defined(here.instr):
            back = [e for e in function.edges if e.target == here.source]
            here = back[0] if len(back) == 1 else None
        if here is None or not isinstance(here.instr, Set):
            return None
        value = fold(here.instr.value)
        if not isinstance(value, Const):
            return None
        values.add(value)
    return values.pop() if len(values) == 1 else None


# --------------------------------------------------------------------------------------------------- paths
def _from(edges: list[IrEdge], start: int, stop: int) -> frozenset[int]:
    """Locations reached from `start` without passing through `stop`."""
    seen, work = {start}, [start]
    while work:
        here = work.pop()
        if here == stop:
            continue
        for e in edges:
            if e.source == here and e.target not in seen:
                seen.add(e.target)
                work.append(e.target)
    return frozenset(seen - {stop})


def _reached(edges: list[IrEdge], start: int, goal: int, without: IrEdge) -> bool:
    """Whether `goal` is reached again from `start` without that edge."""
    seen: set[int] = set()
    work = [start]
    while work:
        here = work.pop()
        for e in edges:
            if e.source == here and e is not without:
                if e.target == goal:
                    return True
                if e.target not in seen:
                    seen.add(e.target)
                    work.append(e.target)
    return False


def _reaching(function: Function, goal: int) -> frozenset[int]:
    seen, work = {goal}, [goal]
    while work:
        here = work.pop()
        for e in function.edges:
            if e.target == here and e.source not in seen:
                seen.add(e.source)
                work.append(e.source)
    return frozenset(seen)


# --------------------------------------------------------------------------------------------------- the two loops
def _same(function: Function, creating: _Loop, joining: _Loop, mentions: Mapping[str, int]) -> bool:
    """Whether one loop joins exactly what the other creates."""
    if not _named(creating.call, THREAD_STARTERS) or not _named(joining.call, _JOINS) or creating.inside & joining.inside:
        return False
    if creating.first != joining.first or creating.bound != joining.bound:
        return False
    if not _fixed(function, creating) or not _fixed(function, joining):
        return False
    around = [e for e in function.edges if e.source not in creating.inside]
    if joining.head in _from(around, function.start, -1):
        return False  # one can come here without having created
    stored, loaded = _stored(function, creating), _loaded(function, joining)
    return stored is not None and stored == loaded and _only_there(function, stored, mentions)


def _fixed(function: Function, loop: _Loop) -> bool:
    """Whether the bound is made of registers that are set once, before the loop."""
    names = {v.name for v in reads(loop.bound) if isinstance(v, Var)} - {_COUNTER}
    makers = [e for n in sorted(names) for e in function.edges if any(t.name == n for t in defined(e.instr))]
    later = _from(list(function.edges), loop.head, -1)
    return len(makers) <= len(names) and not any(e.source in later for e in makers)


@dataclass(frozen=True, slots=True)
class _Array:
    """Where handles are kept: the array of a name, or (`behind`) what the pointer in that variable or register points to."""

    name: str
    behind: bool


def _stored(function: Function, loop: _Loop) -> _Array | None:
    """The array whose element `counter` gets the handle."""
    assert isinstance(loop.call.instr, Call)
    handle = loop.call.instr.args[0]
    if isinstance(handle, Place):
        return None
    if isinstance(handle, Read) and isinstance(handle.lvalue, Var):
        made = [e for e in function.edges if handle.lvalue in defined(e.instr)]
        if len(made) != 1 or made[0].source not in loop.inside:
            return None
        match made[0].instr:
            case Address(place=Place(base=base, path=(Index(value=value),))) if _is_counter(value, loop.counter):
                return _Array(base, False) if isinstance(base, str) else _behind(function, loop, base)
            case Set(value=value):
                handle = value
            case _:
                return None
    match fold(handle):
        case Binary(op="+", left=Read(lvalue=Var()) as pointer, right=Binary(op="*", left=index, right=Const())) if _is_counter(
                index, loop.counter):
            return _behind(function, loop, pointer)
    return None


def _loaded(function: Function, loop: _Loop) -> _Array | None:
    """The array whose element `counter` is joined."""
    assert isinstance(loop.call.instr, Call)
    handle = loop.call.instr.args[0]
    if isinstance(handle, Place) or not isinstance(handle, Read):
        return None
    made = [e for e in function.edges if handle.lvalue in defined(e.instr)]
    if len(made) != 1 or made[0].source not in loop.inside:
        return None
    match made[0].instr:
        case Load(place=Place(base=base, path=(Index(value=value),))) if _is_counter(value, loop.counter):
            return _Array(base, False) if isinstance(base, str) else _behind(function, loop, base)
    return None


def _behind(function: Function, loop: _Loop, pointer: Expr) -> _Array | None:
    """What a pointer points to that is a register, or was loaded from a variable in this round of the loop."""
    if not isinstance(pointer, Read) or not isinstance(pointer.lvalue, Var):
        return None
    made = [e for e in function.edges if pointer.lvalue in defined(e.instr)]
    if len(made) == 1 and isinstance(made[0].instr, Load):
        place = made[0].instr.place
        named = isinstance(place.base, str) and not place.path and made[0].source in loop.inside
        return _Array(place.base, True) if named and isinstance(place.base, str) else None
    return _Array(pointer.lvalue.name, True)


def _is_counter(e: Expr, counter: Var) -> bool:
    """Whether the index is the counter, which is never negative where it is widened."""
    while isinstance(e, Cast) and e.type.width >= e.arg.type.width:
        e = e.arg
    return e == Read(counter)


def _only_there(function: Function, array: _Array, mentions: Mapping[str, int]) -> bool:
    """Whether nobody else can change the handles: what they are kept in is used in the two loops only."""
    if not array.behind:
        return mentions.get(array.name, 0) == 2
    if array.name in mentions:
        stores = [e for e in function.edges if isinstance(e.instr, Store) and array.name in symbols_in(e)]
        loads = [e for e in function.edges if isinstance(e.instr, Load) and array.name in symbols_in(e)]
        if len(stores) != 1 or mentions[array.name] != 1 + len(loads):
            return False
        value = stores[0].instr.value if isinstance(stores[0].instr, Store) else None
        registers = [t for e in loads for t in defined(e.instr)]
        uses = [e for e in function.edges if any(_uses(e, r) for r in registers) and not _harmless(e)]
        made = value.lvalue if isinstance(value, Read) else None
        return len(uses) == 2 and isinstance(made, Var) and _fresh(function, made) and sum(
            1 for e in function.edges if _uses(e, made) and not _harmless(e)) == 1
    pointer = next((r for r in function.registers if r.name == array.name), None)
    if pointer is None or not _fresh(function, pointer):
        return False
    return sum(1 for e in function.edges if _uses(e, pointer) and not _harmless(e)) == 2


def _fresh(function: Function, register: Var) -> bool:
    """Whether the register holds what one allocation gives, and nothing else ever."""
    makers = [e for e in function.edges if register in defined(e.instr)]
    return len(makers) == 1 and _named(makers[0], ("malloc", "calloc"))


def _harmless(edge: IrEdge) -> bool:
    """Tests of a pointer, and giving its memory back, do not change what is there."""
    return isinstance(edge.instr, Guard) or _named(edge, ("free",))


def _uses(edge: IrEdge, register: Var) -> bool:
    return any(v == register for e in expressions(edge) for v in reads(e))


def expressions(edge: IrEdge) -> list[Expr]:
    """All expressions of an instruction."""
    found: list[Expr] = []
    places: list[Place] = []
    match edge.instr:
        case Set(value=value):
            found.append(value)
        case Guard(cond=cond):
            found.append(cond)
        case Load(place=place) | Address(place=place):
            places.append(place)
        case Store(place=place, value=stored):
            places.append(place)
            found.extend([] if stored is None else [stored])
        case Copy(target=into, source=origin):
            places += [into, origin]
        case Call(result=result, callee=callee, args=args):
            found.extend([] if isinstance(callee, str) else [callee])
            found.extend(a for a in args if not isinstance(a, Place))
            places.extend(a for a in (*args, result) if isinstance(a, Place))
    for place in places:
        found.extend([] if isinstance(place.base, str) else [place.base])
        found.extend(s.value for s in place.path if isinstance(s, Index))
    return found


def find_joins(functions: Mapping[str, Function], created: Mapping[FunctionEdge, Mapping[str, None]]) -> dict[FunctionEdge,
                                                                                                              tuple[str, ...]]:
    """For each edge behind which every thread of some functions has ended, if its function runs once: those functions."""
    mentions: dict[str, int] = {}
    for f in functions.values():
        for edge in f.edges:
            for name in symbols_in(edge):
                mentions[name] = mentions.get(name, 0) + 1
    found: dict[FunctionEdge, tuple[str, ...]] = {}
    for f in functions.values():
        for (source, target), (a, b) in joined_everywhere(f, mentions).items():
            names = created.get((f.name, a, b), {})
            if all(site == (f.name, a, b) for site, others in created.items() for n in names if n in others):
                found[f.name, source, target] = tuple(names)
    return found


def symbols_in(edge: IrEdge) -> list[str]:
    """The memory symbols that an instruction names."""
    match edge.instr:
        case Load(place=p) | Address(place=p) | Store(place=p):
            places = [p]
        case Copy(target=into, source=origin):
            places = [into, origin]
        case Call(result=result, args=args):
            places = [a for a in (*args, result) if isinstance(a, Place)]
        case _:
            places = []
    return [p.base for p in places if isinstance(p.base, str)]
