"""What a thread may touch, and what it reads: permission, cells, and values of expressions."""

from __future__ import annotations

from collections.abc import Mapping

from circ.kernel.ownership.heap import Heap, pointer_in, uncast
from circ.kernel.ownership.shapes import MINE, NOWHERE, NULL, TORN, Cell, Fact, Label, Shape, Value
from frontend.program import Binary, Const, Element, Expr, Read, Var, substitute, variables
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
            case Binary(op="+", left=e, right=Const(value=c)):
                return self._shifted(shape, self.value(shape, e, taken), c)
            case _:
                return None

    def _shifted(self, shape: Shape, value: Value | None, by: int) -> Value | None:
        f = None if value is None else shape.fact(value[0])
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
        name = cell[1]
        site = self.heap.links[name][1] if name in self.heap.links else self.heap.root_site(name)
        shape.cells[cell] = shape.fresh(Fact(site=site, reach=labels))
        return shape.cells[cell]


def labels_at(heap: Heap, shape: Shape, cell: Cell) -> tuple[frozenset[Label], bool]:
    """The labels of what holds the link, and whether it may be cut."""
    if isinstance(cell[0], str):
        return frozenset((heap.label(cell[1], cell[0]),)), False
    group = shape.fact(cell[0]).group
    if group is not None:
        return frozenset((MINE,)), cell[1] in shape.cuts.get(group, frozenset())
    return shape.labels(cell[0]) or frozenset(), False
