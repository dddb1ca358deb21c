"""What a thread may touch, and what it reads: permission, cells, and values of expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from circ.kernel.ownership.heap import Heap, pointer_in, uncast
from circ.kernel.ownership.shapes import MINE, NOWHERE, NULL, TORN, Cell, Fact, Label, Scaled, Shape, Value
from frontend.program import Binary, Cast, Const, Element, Expr, Read, Var, substitute, variables
from frontend.program.exact import show_exact


class Reader:
    """One template's threads, as they read."""

    def __init__(self, heap: Heap, template: int) -> None:
        self.heap, self.template = heap, template
        self.own = {v.name for v in heap.program.templates[template].locals if not v.is_array}

    def alone(self, shape: Shape) -> bool:
        return self.heap.lives.alone(self.template, shape.dead)

    def permitted(self, shape: Shape, label: Label) -> bool:
        """Whether nobody else may touch objects with this label, nor the root of the name, now."""
        if label in (MINE, TORN):
            return True
        lock = self.heap.lock_of(label)
        # Two elements of an array of roots may be one, unless the locks of both are held.
        return lock is not None and (lock in shape.held or (not label[1] and self.alone(shape)))

    def may_access(self, shape: Shape, index: Expr, site: int) -> bool:
        """Whether the object with this number is this thread's, or guarded by a lock that it holds."""
        if self.alone(shape):
            return True
        symbol = self.object_at(shape, index, site)
        if symbol is None:
            return False
        labels = shape.labels(symbol)
        return labels is not None and all(self.permitted(shape, x) for x in labels)

    def object_at(self, shape: Shape, index: Expr, site: int) -> int | None:
        """A symbol that lies in the object with this number, surely one of the site; None if there is none."""
        s = self.heap.sites[site]
        if isinstance(index, Const):
            found = shape.env.get(s.base + index.value * s.stride)
            return None if found is None else found[0]
        pointer = pointer_in(index)
        if pointer is None or pointer[2] != s.stride or pointer[0].name not in shape.env:
            return None
        symbol, off = shape.env[pointer[0].name]
        f = shape.fact(symbol)
        if not f.hit or f.site != site:
            return None
        if f.inside is None:
            return symbol if off == 0 and pointer[1] == s.base else None
        return symbol if f.inside + off == pointer[1] - s.base else None

    def value(self, shape: Shape, e: Expr, taken: Mapping[str, Value]) -> Value | None:
        """The value of an expression; None if nothing is known of it."""
        match uncast(e):
            case Const(value=0):
                return shape.fresh(NULL)
            case Const(value=c):
                if c in shape.env:
                    return shape.env[c]
                return shape.fresh(Fact(null=False, reach=NOWHERE)) if self.heap.site_at(c) is None else None
            case Read(lvalue=Var(name=name)):
                if name in self.own and name not in shape.env:
                    shape.env[name] = shape.fresh()
                return taken.get(name) or shape.env.get(name)
            case Read(lvalue=Element(array=name, index=i)):
                cell = self.cell(shape, name, i)
                return None if cell is None else self.content(shape, cell)
            case Binary(op="+", left=Const() as c, right=e) | Binary(op="+", left=Binary(op="*") as e, right=Const() as c):
                return self._element(shape, c.value, e)
            case Binary(op="+", left=e, right=Const(value=c)):
                return self._shifted(shape, self.value(shape, e, taken), c)
            case _:
                return None

    def _element(self, shape: Shape, base: int, e: Expr) -> Value | None:
        """The address of an element of an array: base + index * stride, the index of at most 32 bits."""
        match e:
            case Binary(op="*", left=Cast(arg=i) as wide, right=Const(value=stride)) \
                    if i.type.width <= 32 < wide.type.width and 0 < stride < 1 << 30 and 0 <= base < 1 << 62:
                text = self.index_text(shape, i)
                if text is None:
                    return None
                value = shape.fresh(Fact(null=False, reach=NOWHERE) if self._is_clear(base, stride, _bounds(i)) else Fact())
                shape.scaled[value[0]] = Scaled(base, stride, text, _bounds(i))
                return value
            case _:
                return None

    def _is_clear(self, base: int, stride: int, index: tuple[int, int] | None) -> bool:
        """Whether base + index * stride, for all indices within the bounds, is neither null nor in an object."""
        return index is not None and base + index[0] * stride > 0 and all(
            base + index[1] * stride < s.base or base + index[0] * stride >= s.end for s in self.heap.sites)

    def _shifted(self, shape: Shape, value: Value | None, by: int) -> Value | None:
        f = None if value is None else shape.fact(value[0])
        place = None if value is None or value[1] else shape.scaled.get(value[0])
        if place is not None and by < 1 << 30 and place.base + by < 1 << 62:
            clear = place.bounds is not None and self._is_clear(place.base + by, place.stride, place.bounds)
            moved = shape.fresh(Fact(null=False, reach=NOWHERE) if clear else Fact())
            shape.scaled[moved[0]] = replace(place, base=place.base + by, ranged=False)
            return moved
        if value is None or f is None or not f.hit or f.inside is None or f.site is None:
            return None
        return (value[0], value[1] + by) if 0 <= f.inside + value[1] + by < self.heap.sites[f.site].stride else None

    def cell(self, shape: Shape, name: str, index: Expr) -> Cell | None:
        """The link, or element of a root, that is meant; None if it is none that the thread may rely on."""
        if name in self.heap.links:
            symbol = self.object_at(shape, index, self.heap.links[name][0])
            labels = None if symbol is None else shape.labels(symbol)
            allowed = labels is not None and all(self.permitted(shape, x) for x in labels)
            return (symbol, name) if symbol is not None and allowed else None
        if name in self.heap.guard_of:
            text = self.index_text(shape, index)
            return (text, name) if text is not None and self.permitted(shape, self.heap.label(name, text)) else None
        return None

    def index_text(self, shape: Shape, index: Expr) -> str | None:
        """An index over symbols; None if it reads more than registers."""
        if isinstance(index, Const):
            return str(index.value)
        if not variables(index) <= self.own:
            return None
        place = pointer_in(index)
        if place is not None and place[0].name in shape.env and not shape.env[place[0].name][1]:
            known = shape.scaled.get(shape.env[place[0].name][0])
            if known is not None and known.ranged and (known.base, known.stride) == place[1:]:
                return known.index
        while isinstance(index, Cast) and index.arg.type.width < index.type.width and index.arg.type.width <= 32:
            index = index.arg
        for name in sorted(variables(index)):
            if name not in shape.env:
                shape.env[name] = shape.fresh()
            if shape.env[name][1]:
                return None
        return show_exact(substitute(
            index, lambda v: Read(Var(f"#{shape.env[v.name][0]}", v.type)) if isinstance(v, Var) else None))

    def content(self, shape: Shape, cell: Cell) -> Value | None:
        """What the link has; if it is live, that lies in an object with the same label."""
        if cell in shape.cells:
            return shape.cells[cell]
        labels, cut = labels_at(self.heap, shape, cell)
        if cut or TORN in labels:
            return None
        shape.cells[cell] = shape.fresh(Fact(site=self.heap.target(cell[1]), reach=labels))
        return shape.cells[cell]


def _bounds(e: Expr) -> tuple[int, int] | None:
    """The least and the largest value of an expression, if they are plain."""
    match e:
        case Const(value=n):
            return n, n
        case Binary(op="%", left=a, right=Const(value=n)) if n > 0:
            return (1 - n if a.type.signed else 0), n - 1
        case Binary(op="&", right=Const(value=n)) if n >= 0:
            return 0, n
        case Cast(arg=a, type=t) if (found := _bounds(a)) is not None and t.low <= found[0] and found[1] <= t.high:
            return found
        case _:
            return None


def labels_at(heap: Heap, shape: Shape, cell: Cell) -> tuple[frozenset[Label], bool]:
    """The labels of what holds the link, and whether it may be cut."""
    if isinstance(cell[0], str):
        return frozenset((heap.label(cell[1], cell[0]),)), False
    group = shape.fact(cell[0]).group
    if group is not None:
        return frozenset((MINE,)), cell[1] in shape.cuts.get(group, frozenset())
    return shape.labels(cell[0]) or frozenset(), False
