"""Writes a Cartesian invariant with exceptions as an `exceptions` certificate, for circ/kernel/finite/exceptions.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from circ.finite.inductive_certificates import FALSE, Diagram, DiagramVariable, certificate, global_reference
from circ.finite.local_products import Packed, ProductLayout
from circ.finite.system import FiniteSystem, GlobalStore, LocalStore
from circ.verdict import Certificate, ProofKind


def exception_certificate(system: FiniteSystem, shape: ProductLayout, numbered: Sequence[Sequence[LocalStore]],
                          products: Mapping[GlobalStore, Packed],
                          exceptions: Mapping[GlobalStore, Sequence[Packed]]) -> Certificate:
    """The invariant as rows `[store, [set of local stores for each thread]]`, any of which may hold."""
    diagram = Diagram()
    references: list[DiagramVariable] = [global_reference(c) for c in system.globals]
    sets: dict[tuple[int, int], int] = {}

    def local_set(i: int, part: int) -> int:
        if (i, part) not in sets:
            own: list[DiagramVariable] = [("at",), *(("own", c.name, c.element) for c in system.groups[i].cells)]
            chosen = [local for n, local in enumerate(numbered[i]) if part >> n & 1]
            members = [(q, *local[1:]) for local in chosen for q in system.groups[i].same(local[0])]
            sets[i, part] = diagram.of_rows(own, [()] * len(own), members)
        return sets[i, part]

    # Stores with equal products share a row: its first part is then a set of stores.
    by_product: dict[Packed, list[GlobalStore]] = {}
    for g, p in (*products.items(), *((g, p) for g, ps in exceptions.items() for p in ps)):
        if g not in by_product.setdefault(p, []):
            by_product[p].append(g)
    owner = system.threads
    rows = []
    for p, stores in by_product.items():
        store = diagram.of_rows(references, [()] * len(references), stores)
        if store != FALSE:
            rows.append([store, [local_set(i, shape.part(p, t)) for t, i in enumerate(owner)]])
    plain = certificate(system, diagram, [], None)
    body = {key: value for key, value in plain.body.items() if key != "facts"}
    return Certificate(plain.program, plain.question, ProofKind.EXCEPTIONS, {**body, "rows": rows})
