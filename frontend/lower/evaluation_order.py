"""The order of evaluation: left to right where C leaves it open, and what that takes for granted."""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast

from frontend.ctypes import ArrayType, CType, PointerType, RecordType
from frontend.ctypes.scope import MemoryName, RegisterName
from frontend.ir import Index, Place
from frontend.ir.thread_library import PREFIXES
from frontend.lower.emitter import Emitter
from frontend.lower.operands import ScalarValue
from frontend.lower.unit import ORDER
from frontend.program import variables
from frontend.text.side_effects import Effects, effects, walk

_SYNCHRONISING = (*PREFIXES, "call_once", "__VERIFIER_atomic_", "atomic_", "__atomic_", "__sync_")
"""How functions are called by which threads wait for each other, or tell each other something."""
_ONLY_LOOK = ("atomic_load", "__atomic_load", "atomic_is_lock_free", "atomic_init", "pthread_self", "pthread_equal")
"""Of these, those by which a thread tells others nothing and never waits."""


class Order:
    """Keeps the operands of one lowering as they were when C evaluated them."""

    def __init__(self, x: Emitter) -> None:
        self._x = x

    def settled(self, v: ScalarValue, later: c_ast.Node, node: c_ast.Node) -> ScalarValue:
        """The value, in a register of its own if evaluating `later` changes a register it reads."""
        if id(later) in self._x.syntax.effectful and self._assigned(later) & variables(v.expr):
            return self._x.spill(v, node)
        return v

    def settled_place(self, place: Place, later: c_ast.Node, node: c_ast.Node) -> Place:
        if id(later) not in self._x.syntax.effectful:
            return place
        changed = self._assigned(later)
        base = place.base
        if not isinstance(base, str) and variables(base) & changed:
            base = self._x.spill(ScalarValue(PointerType(place.base_type), base), node).expr
        path = tuple(
            Index(self._x.spill(ScalarValue(self._x.ints.int, s.value), node).expr)
            if isinstance(s, Index) and variables(s.value) & changed else s
            for s in place.path)
        return Place(base, path, place.type, place.base_type)

    def _assigned(self, node: c_ast.Node) -> frozenset[str]:
        """The registers that evaluating the node assigns."""
        found = (self._x.scope.find(name) for name in effects(node).assigned)
        return frozenset(e.var.name for e in found if isinstance(e, RegisterName))

    def unsequenced(self, first: c_ast.Node, second: c_ast.Node, stored: bool = False) -> None:
        """Record the assumption on the order of two operands if it could matter; `stored`: the second is assigned to the first.

        It matters to the thread if one operand changes what the other one uses. It matters to others if one operand waits for
        them or tells them something, and the other one accesses memory: plain accesses that no lock orders race anyway.
        """
        if id(first) not in self._x.syntax.effectful and id(second) not in self._x.syntax.effectful:
            return
        a, b = effects(first, stored), effects(second)
        if a.assigned & b.mentioned or b.assigned & a.mentioned or self._interferes(a, b) or self._interferes(b, a):
            self._x.unit.assume(ORDER, self._x.unit.where(second))

    def all_unsequenced(self, nodes: Sequence[c_ast.Node]) -> None:
        """The same for every two of several operands."""
        effectful = [id(node) in self._x.syntax.effectful for node in nodes]
        if not any(effectful):
            return
        for i, first in enumerate(nodes):
            for j in range(i + 1, len(nodes)):
                if effectful[i] or effectful[j]:
                    self.unsequenced(first, nodes[j])

    def _interferes(self, a: Effects, b: Effects) -> bool:
        """Whether what `a` does could be seen by, or change, what `b` does."""
        if not any(map(self._acts, a.called)) and not any(map(self._tells, a.assigned)):
            return a.stores and b.follows
        return b.follows or b.stores or any(map(self._acts, b.called)) or any(
            isinstance(self._x.scope.find(name), MemoryName) for name in b.mentioned)

    def _acts(self, name: str | None) -> bool:
        """Whether a function could touch memory that is not handed to it, or order what others do to it."""
        if name is None or self._x.unit.defined(name):
            return name is None or not self._computes(name)
        if name.startswith(_SYNCHRONISING):
            return not name.startswith(_ONLY_LOOK)
        return isinstance(self._x.scope.find(name), MemoryName | RegisterName)

    def _computes(self, name: str) -> bool:
        """Whether nobody can tell when a function of this file runs: it and all that it calls look at their own locals only."""
        known = self._x.unit.computing
        if name not in known:
            reached: set[str | None] = set()
            todo: list[str | None] = [name]
            while todo:
                callee = todo.pop()
                if callee not in reached:
                    reached.add(callee)
                    called = None if callee is None else self._called_by_computing(callee)
                    if called is None:
                        known[name] = False
                        break
                    todo.extend(called)
            else:
                known[name] = True
        return known[name]

    def _called_by_computing(self, name: str) -> frozenset[str | None] | None:
        """What a function calls that accesses nothing but parameters and locals, none of them in memory that stays; else None."""
        body = self._x.unit.bodies.get(name)
        if body is None:
            return None
        inside = [d for d in walk(body) if isinstance(d, c_ast.Decl) and d is not body.decl]
        own = {d.name for d in inside}
        done = effects(body)
        # A name that the file has, too, may mean either where it is mentioned.
        told_apart = own.isdisjoint(self._x.unit.file_names) and own.isdisjoint(done.called)
        elsewhere = any(d.storage for d in inside) or done.stores or done.follows or done.mentioned - own - done.called
        return done.called if told_apart and not elsewhere else None

    def _tells(self, name: str) -> bool:
        """Whether a variable is one by which threads tell each other something."""
        found = self._x.scope.find(name)
        return isinstance(found, MemoryName) and self._is_atomic(found.type)

    def _is_atomic(self, t: CType) -> bool:
        match t:
            case ArrayType(element=element):
                return self._is_atomic(element)
            case RecordType(key=key) if key in self._x.types.records:
                return t.quals.atomic or any(self._is_atomic(f.type) for f in self._x.types.records[key].fields)
        return t.quals.atomic
