"""Writes the sets of a symbolic modular run as an `inductive` certificate: diagrams over fields instead of bits."""

from __future__ import annotations

from circ.finite.inductive_certificates import FALSE, TRUE, Diagram, DiagramVariable, certificate, complete, global_reference
from circ.finite.symbolic.encoding import BitField, StateSet
from circ.finite.symbolic.symbolic_system import SymbolicSystem
from circ.verdict import Certificate


def symbolic_certificate(symbolic: SymbolicSystem, reached: list[StateSet]) -> Certificate:
    """The certificate of sets R_j whose conjunction has no error state; no two threads share a group in it."""
    system = symbolic.system
    assert all(g.size == 1 for g in system.groups), "diagrams are over single threads"
    writer = _DiagramWriter(symbolic)
    return certificate(system, writer.diagram, [writer.fact(t, reached[t]) for t in range(len(reached))], None)


class _DiagramWriter:
    def __init__(self, symbolic: SymbolicSystem) -> None:
        self.symbolic = symbolic
        self.diagram = Diagram()
        self._field: dict[str, BitField] = {b: f for f in symbolic.encoding.all_fields() for b in f.bits}
        self._references: dict[str, tuple[int, DiagramVariable, bool]] = {}
        for c in symbolic.system.globals:
            self._references[symbolic.shared[c.name, c.element].name] = (-1, global_reference(c), complete(c))
        for t, g in enumerate(symbolic.owner):
            cells = symbolic.system.groups[g].cells
            parts: list[tuple[DiagramVariable, bool]] = [((), False), *(((c.name, c.element), complete(c)) for c in cells)]
            for f, (reference, full) in zip(symbolic.fields[t], parts, strict=True):
                self._references[f.name] = (t, reference, full)

    def fact(self, thread: int, states: StateSet) -> int:
        """R of the thread; its own and the global fields are confined to their domains, others' need not be."""
        root = self._node(thread, states, {})
        for f in (*self.symbolic.shared.values(), *self.symbolic.fields[thread]):
            if not self._references[f.name][2]:
                root = self.diagram.node(self._reference(thread, f), [(q, root) for v in f.values for q in self._same(f, v)], ())
        return root

    def _node(self, thread: int, states: StateSet, known: dict[StateSet, int]) -> int:
        if states == self.symbolic.false:
            return FALSE
        if states == self.symbolic.true:
            return TRUE
        if states not in known:
            field = self._field[states.var]
            branches = []
            for v in field.values:
                child = self._node(thread, self.symbolic.manager.let(field.cube(v), states), known)
                for q in self._same(field, v):
                    branches.append((q, child))
            known[states] = self.diagram.node(self._reference(thread, field), branches, ())
        return known[states]

    def _same(self, field: BitField, value: int) -> tuple[int, ...]:
        """The values in the program that a field's value stands for."""
        owner, reference, _ = self._references[field.name]
        if owner < 0 or reference:
            return (value,)
        return self.symbolic.system.groups[self.symbolic.owner[owner]].same(value)

    def _reference(self, thread: int, field: BitField) -> DiagramVariable:
        owner, reference, _ = self._references[field.name]
        if owner < 0:
            return reference
        if owner == thread:
            return ("own", *reference) if reference else ("at",)
        group = self.symbolic.owner[owner]
        return ("other", group, *reference) if reference else ("other-at", group)
