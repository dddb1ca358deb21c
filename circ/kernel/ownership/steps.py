"""What a thread knows after a step, from what it knew before; a step that the argument does not allow is refused.

Why each change is right: docs/certificate.md, kind `ownership`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from circ.kernel.ownership.entailment import entails
from circ.kernel.ownership.heap import Heap, Site, made, uncast
from circ.kernel.ownership.linking import Disallowed, Linker
from circ.kernel.ownership.reading import Reader
from circ.kernel.ownership.shapes import NOWHERE, NULL, Cell, Fact, Label, Shape, Value
from frontend.program import (
    Assign,
    Assume,
    Binary,
    Const,
    Edge,
    Element,
    Expr,
    Havoc,
    Read,
    Values,
    Var,
    name_of,
    op_writes,
    primitive,
    truth,
    variables,
)
from frontend.program.connectives import conjuncts
from frontend.records import dataclass


@dataclass(slots=True)
class _Within:
    """What has been seen on the way through one step."""

    free: set[Label]
    flags: set[str]
    made: dict[Var, Site]
    taken: dict[str, Value]


class Steps:
    """The steps of one template's threads."""

    def __init__(self, heap: Heap, template: int, invariants: dict[str, list[Shape]]) -> None:
        self.heap, self.template, self.invariants = heap, template, invariants
        self.reader, self.linker = Reader(heap, template), Linker(heap)
        self.own = self.reader.own
        self._slots = {s.argument: s for s in heap.slots}
        self._written = frozenset((*heap.links, *heap.guard_of, *heap.locks, *(s.flag for s in heap.slots), *self._slots))

    # ----------------------------------------------------------------------------------------------- the start
    def at_start(self) -> list[Shape]:
        shape = Shape(dead=self.heap.lives.at_start(self.template))
        for address in self.heap.starts.get(self.template, ()):
            n = self.heap.site_at(address)
            assert n is not None
            value = shape.fresh(Fact(False, n, True, (address - self.heap.sites[n].base) % self.heap.sites[n].stride))
            shape.own(value[0])
            shape.env[address] = value
            for name, (site, _) in self.heap.links.items():
                if site == n:
                    shape.cells[value[0], name] = shape.fresh(NULL)
        if self.reader.alone(shape):
            for lock in self.heap.locks:
                self._guarded_at_start(shape, lock)
        return [shape.tidy()]

    def _guarded_at_start(self, shape: Shape, lock: str) -> None:
        for name in (*self.heap.locks[lock].scalars, *self.heap.locks[lock].roots):
            v = self.heap.program.variable(name)
            if not v.is_array:
                shape.env[name] = shape.fresh(NULL if v.start == Values(0) else Fact())

    def unheld_at_start(self) -> None:
        """Where nobody runs alone at the start, what locks guard must be as their invariants say by then."""
        for lock in self.heap.locks if self.heap.lives.starter is None else ():
            shape = Shape()
            self._guarded_at_start(shape, lock)
            self._release(shape, ((lock, ""),))

    # ----------------------------------------------------------------------------------------------- steps
    def after(self, shape: Shape, edge: Edge) -> list[Shape]:
        """The cases after the step; none if it cannot be taken."""
        heap = self.heap
        written = set(op_writes(edge.op))
        made_here = {r: s for s in heap.sites if s.counter in written and (r := made(edge, s)) is not None}
        seen = _Within(set(), set(), made_here, {})
        self._check_flags(edge)
        shapes = [shape.copy()]
        for part in primitive(edge.op):
            shapes = [new for s in shapes for new in self._part(s, part, seen)]
        dead = heap.lives.after(self.template, shape.dead, edge)
        if dead != shape.dead:
            shapes = [new for s in shapes for new in self._lives_change(s, dead)]
        if heap.lives.ends(self.template, edge) and any(s.held for s in shapes):
            raise Disallowed("a thread ends with a lock", min(name for s in shapes for name, _ in s.held))
        return [s.tidy() for s in shapes]

    def _check_flags(self, edge: Edge) -> None:
        """An argument is passed, and said to be, in one step; it is taken by a step that finds the flag set and clears it."""
        written = set(op_writes(edge.op))
        for s in self.heap.slots:
            if s.flag not in written and s.argument not in written:
                continue
            values = [p.value.value if isinstance(p, Assign) and isinstance(p.value, Const) else None
                      for p in primitive(edge.op) if s.flag in op_writes(p)]
            if len(values) != 1 or values[0] is None or (values[0] == 0) != (s.argument not in written):
                raise Disallowed("an argument is passed in several steps", s.argument)

    def _part(self, shape: Shape, part: object, seen: _Within) -> Iterator[Shape]:
        match part:
            case Assume(cond=c):
                if all(self._assume(shape, x, seen) for x in conjuncts(truth(c))) and self._ranges(shape, conjuncts(truth(c))):
                    yield shape
            case Assign(target=Var(name=name) as v, value=e):
                if v in seen.made:
                    self._make(shape, v, seen.made[v])
                    yield shape
                elif name in self.own or name in shape.env or name in self._written:
                    yield from self._assign(shape, name, e, seen)
                else:
                    yield shape
            case Assign(target=Element(array=name, index=i), value=e):
                yield from self._store(shape, name, i, e, seen) if name in self._written else (shape,)
            case Havoc(targets=ts, whole=ws):
                names = {*(t.name for t in ts if isinstance(t, Var)), *(t.array for t in ts if isinstance(t, Element)), *ws}
                if names & self._written:
                    raise Disallowed("anything may be written", min(names & self._written))
                for name in names:
                    shape.env.pop(name, None)
                yield shape
            case _:
                yield shape

    # ----------------------------------------------------------------------------------------------- conditions
    def _assume(self, shape: Shape, c: Expr, seen: _Within) -> bool:
        """Notes what a condition says; False if it contradicts what is known."""
        match c:
            case Read(lvalue=Var(name=name)):
                seen.flags.add(name)
                return True
            case Binary(op="==", left=Read(lvalue=v), right=Const(value=0)) if name_of(v) in self.heap.locks:
                key = self._lock_key(shape, v)
                if key is not None:
                    seen.free.add(key)
                return key is None or key not in shape.held
            case Binary(op="==" | "!=" as op, left=e, right=Const(value=k)):
                value = self.reader.value(shape, e, seen.taken)
                return value is None or self._compared(shape, e, value, op == "==", k)
            case _:
                return True

    def _compared(self, shape: Shape, e: Expr, value: Value, equal: bool, constant: int) -> bool:
        symbol, off = value
        f = shape.fact(symbol)
        if constant == 0:
            if off:
                return not equal or not f.hit
            if f.null is not None:
                return f.null == equal
            if not equal:
                shape.facts[symbol] = replace(f, null=False)
            else:
                return self._nullify(shape, symbol)
            return True
        if not equal:
            return True
        if f.null and off == 0:
            return False
        if self.heap.site_at(constant) is None:
            # A value with a distance lies in an object.
            if f.hit or off:
                return False
            shape.facts[symbol] = replace(f, null=False, reach=NOWHERE, group=None)
        elif constant in shape.env and isinstance(e, Read) and isinstance(e.lvalue, Var) and e.lvalue.name in self.own:
            shape.env[e.lvalue.name] = shape.env[constant]
        return True

    def _nullify(self, shape: Shape, symbol: int) -> bool:
        if shape.fact(symbol).hit:
            return False
        shape.facts[symbol] = NULL
        return True

    def _ranges(self, shape: Shape, conditions: list[Expr]) -> bool:
        """Tests that a pointer lies in a range, and at which distance from the start of an object."""
        steps = {(x, b): n for c in conditions if (t := _remainder(c)) is not None for x, b, n in (t,)}
        for c in conditions:
            found = _below(c)
            if found is None or found[0].name not in shape.env:
                continue
            pointer, base, size = found
            symbol, off = shape.env[pointer.name]
            f = shape.fact(symbol)
            if f.null and off == 0 and base > 0:
                return False
            n = self.heap.site_at(base)
            place = shape.scaled.get(symbol)
            if place is not None and not off and place.base == base and size < 1 << 62:
                shape.scaled[symbol] = replace(place, ranged=True)
            if n is None:
                if all(base + size <= s.base or base >= s.end for s in self.heap.sites):
                    if f.hit or off:
                        return False
                    shape.facts[symbol] = replace(f, null=False if base > 0 else f.null, reach=NOWHERE, group=None)
                continue
            s = self.heap.sites[n]
            aligned = steps.get((pointer, base)) == s.stride
            room = s.limit * s.stride + (base == s.base)
            if base - s.base >= s.stride or size > room or (not aligned and (base != s.base or off)):
                continue
            inside = base - s.base - off if aligned else f.inside
            if shape.is_void(symbol) or (f.site is not None and f.site != n) or (inside is not None and inside < 0) or (
                    f.inside is not None and f.inside != inside):
                return False
            if f.hit and f.inside is None and off:
                continue
            shape.facts[symbol] = replace(f, null=False, site=n, hit=True, inside=inside)
        return True

    # ----------------------------------------------------------------------------------------------- assignments
    def _make(self, shape: Shape, v: Var, site: Site) -> None:
        """A new object: no link leads to it, and its own are null."""
        n = self.heap.sites.index(site)
        value = shape.fresh(Fact(False, n, True, 0))
        shape.own(value[0])
        shape.env[v.name] = value
        for name, (holder, _) in self.heap.links.items():
            if holder == n:
                shape.cells[value[0], name] = shape.fresh(NULL)

    def _assign(self, shape: Shape, name: str, e: Expr, seen: _Within) -> Iterator[Shape]:
        if name in self.heap.locks:
            yield from self._lock_written(shape, Var(name, e.type), e, seen)
            return
        if name in self._slots:
            self._pass(shape, name, e, seen)
            yield shape
            return
        if any(s.flag == name for s in self.heap.slots):
            self._take(shape, name, e, seen)
            yield shape
            return
        value = self.reader.value(shape, e, seen.taken)
        if name in self.heap.guard_of:
            if not self.reader.permitted(shape, (name, "")):
                raise Disallowed("written without its lock", name)
            if self.heap.is_root(name):
                self.linker.link(shape, ("", name), shape.env.get(name), value)
        shape.env.pop(name, None)
        if value is not None:
            shape.env[name] = value
            source = uncast(e)
            loaded = isinstance(source, Read) and isinstance(source.lvalue, Element)
            guarded = name in self.own and any(v in self.heap.guard_of for v in variables(e))
            if (loaded or guarded) and value[1] == 0 and shape.fact(value[0]).null is None:
                yield from self._split(shape, value[0])
                return
        yield shape

    def _split(self, shape: Shape, symbol: int) -> Iterator[Shape]:
        """What was loaded is null, or it is not."""
        other = shape.copy()
        if self._nullify(other, symbol):
            yield other
        shape.facts[symbol] = replace(shape.fact(symbol), null=False)
        yield shape

    def _store(self, shape: Shape, name: str, index: Expr, e: Expr, seen: _Within) -> Iterator[Shape]:
        if name in self.heap.locks:
            yield from self._lock_written(shape, Element(name, index, e.type), e, seen)
            return
        cell = self.reader.cell(shape, name, index)
        if cell is None:
            zero = isinstance(c := uncast(e), Const) and c.value == 0
            if name in self.heap.guard_of and self.reader.alone(shape) and zero:
                shape.cells = {c: v for c, v in shape.cells.items() if c[1] != name}
                yield shape
                return
            raise Disallowed("written by who may not", name)
        value = self.reader.value(shape, e, seen.taken)
        # What may be the same cell is seen now: objects that are told apart by their owners may soon have one.
        same = [c for c in shape.cells if c[1] == name and c != cell and not self._elsewhere(shape, c, cell)]
        self.linker.link(shape, cell, shape.cells.get(cell), value)
        for other in same:
            del shape.cells[other]
        if value is None:
            shape.cells.pop(cell, None)
        else:
            shape.cells[cell] = value
        yield shape

    def _elsewhere(self, shape: Shape, one: Cell, two: Cell) -> bool:
        if isinstance(one[0], int) and isinstance(two[0], int):
            return shape.distinct(one[0], two[0])
        return isinstance(one[0], str) and isinstance(two[0], str) and one[0].isdigit() and two[0].isdigit() and one[0] != two[0]

    # ----------------------------------------------------------------------------------------------- arguments of threads
    def _pass(self, shape: Shape, name: str, e: Expr, seen: _Within) -> None:
        slot = self._slots[name]
        value = self.reader.value(shape, e, seen.taken)
        constant = uncast(e)
        if slot.constant is not None and not (isinstance(constant, Const) and constant.value == slot.constant):
            raise Disallowed("another argument than the one", name)
        if value is None or not (shape.is_void(value[0]) or (
                slot.site in (None, shape.fact(value[0]).site)
                and self.linker.give(shape, value[0], frozenset(((name, ""),)), ""))):
            raise Disallowed("what is passed is not the thread's own", name)
        shape.forget_labels(lambda x: x[0] == name, self.heap.label)

    def _take(self, shape: Shape, flag: str, e: Expr, seen: _Within) -> None:
        """A step that finds the flag set and clears it has the argument."""
        slot = next(s for s in self.heap.slots if s.flag == flag)
        if not (isinstance(e, Const) and e.value == 0):
            return
        if flag not in seen.flags:
            raise Disallowed("cleared by who has not found it set", flag)
        value = shape.fresh(Fact(site=slot.site))
        shape.own(value[0])
        seen.taken[slot.argument] = value
        if slot.constant is not None and (n := self.heap.site_at(slot.constant)) is not None:
            inside = (slot.constant - self.heap.sites[n].base) % self.heap.sites[n].stride
            shape.facts[value[0]] = replace(shape.fact(value[0]), null=False, hit=True, site=n, inside=inside)
            shape.env[slot.constant] = value

    # ----------------------------------------------------------------------------------------------- locks
    def _lock_key(self, shape: Shape, v: Var | Element) -> Label | None:
        if isinstance(v, Var):
            return v.name, ""
        text = self.reader.index_text(shape, v.index)
        return None if text is None else (v.array, text)

    def _lock_written(self, shape: Shape, v: Var | Element, e: Expr, seen: _Within) -> Iterator[Shape]:
        key = self._lock_key(shape, v)
        name = name_of(v)
        if not isinstance(e, Const):
            raise Disallowed("a lock that counts", name)
        if e.value == 0:
            if key is not None and key in shape.held:
                if key[1] or not self.reader.alone(shape):
                    self._release(shape, (key,))
                shape.held -= {key}
            elif not self.reader.alone(shape):
                raise Disallowed("released by who may not hold it", name)
            elif any(n == name for n, _ in shape.held):
                raise Disallowed("perhaps a lock that is held", name)
            yield shape
            return
        if key is None or key not in seen.free:
            raise Disallowed("taken without finding it free", name)
        shape.held |= {key}
        yield from [shape] if self.reader.alone(shape) else self._acquire(shape, key)

    def _acquire(self, shape: Shape, key: Label) -> Iterator[Shape]:
        """What the lock guards is as its holders have left it."""
        guarded = self.heap.locks[key[0]]
        if key[1] or not (guarded.scalars or guarded.roots):
            yield shape
            return
        for known in self.invariants.get(key[0], ()):
            new = shape.copy()
            start = new.top
            new.top += known.top
            new.facts.update((s + start, f) for s, f in known.facts.items())
            new.cells.update(((c + start, n), (s + start, off)) for (c, n), (s, off) in known.cells.items() if isinstance(c, int))
            for name in dict.fromkeys((*guarded.scalars, *guarded.roots)):
                if name in known.env:
                    new.env[name] = known.env[name][0] + start, known.env[name][1]
                if name in guarded.roots and not self.heap.is_array(name):
                    self._as_root(new, name, guarded.roots[name])
            yield new

    def _as_root(self, shape: Shape, name: str, site: int | None) -> None:
        """What a root holds lies in no object, or in one with the root's label."""
        value = shape.env.setdefault(name, shape.fresh())
        f = shape.fact(value[0])
        if f.reach is None:
            shape.facts[value[0]] = replace(f, site=f.site if site is None else site, reach=frozenset(((name, ""),)))

    def _release(self, shape: Shape, keys: tuple[Label, ...]) -> None:
        gone: set[str] = set()
        for name, index in keys:
            guarded = self.heap.locks[name]
            if not index and (guarded.scalars or guarded.roots):
                left = replace(shape, held=frozenset(), dead=frozenset())
                if not any(entails(left, known) for known in self.invariants.get(name, ())):
                    raise Unestablished(name, shape)
                gone |= {*guarded.scalars, *guarded.roots}
        shape.forget_labels(lambda x: self.heap.lock_of(x) in keys, self.heap.label)
        for name in gone:
            shape.env.pop(name, None)

    def _lives_change(self, shape: Shape, dead: frozenset[int]) -> Iterator[Shape]:
        """Others begin or end: while there are none, the starter has what all locks guard."""
        before = self.reader.alone(shape)
        shape.dead = dead
        scalars = [(n, "") for n in self.heap.locks if not self.heap.program.variable(n).is_array]
        now = self.reader.alone(shape)
        if before and not now:
            self._release(shape, tuple(k for k in scalars if k not in shape.held))
            shape.forget_labels(
                lambda x: (k := self.heap.lock_of(x)) is not None and k not in shape.held, self.heap.label)
        shapes = [shape]
        if now and not before:
            for key in scalars:
                if key not in shape.held:
                    shapes = [new for s in shapes for new in self._acquire(s, key)]
        yield from shapes


class Unestablished(Disallowed):
    """A lock is given back though what it guards may not be as the invariant says; `shape` is how it is."""

    def __init__(self, lock: str, shape: Shape) -> None:
        super().__init__("given back while its invariant may not hold", lock)
        self.shape = shape


def _remainder(c: Expr) -> tuple[Var, int, int] | None:
    """Register, base and stride in the condition (register - base) % stride == 0."""
    match c:
        case Binary(op="==", left=Binary(op="%", left=Binary(op="-", left=p, right=Const(value=b)), right=Const(value=n)),
                    right=Const(value=0)) if not p.type.signed:
            p = uncast(p)
            return (p.lvalue, b, n) if isinstance(p, Read) and isinstance(p.lvalue, Var) else None
        case _:
            return None


def _below(c: Expr) -> tuple[Var, int, int] | None:
    """Register, base and size in the condition that register - base is less than the size."""
    match c:
        case Binary(op="<" | "<=" as op, left=Binary(op="-", left=p, right=Const(value=b)), right=Const(value=n)) \
                if not p.type.signed:
            p = uncast(p)
            return (p.lvalue, b, n + (op == "<=")) if isinstance(p, Read) and isinstance(p.lvalue, Var) else None
        case _:
            return None
