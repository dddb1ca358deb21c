"""Certificates in few lines, for tests: rows by (template, class, ...), formulas in the notation of tests/support/build.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from circ.verdict import Certificate, Question
from frontend.program import Program
from frontend.program.exact import show_exact
from tests.support.build import condition, expr

Formula = str | bool | Sequence[Sequence[str]]


def pairs(program: Program, question: Question, rows: Mapping[tuple[int, ...], Formula],
          classes: Sequence[Sequence[int]] | None = None,
          counting: Iterable[tuple[str, Sequence[Sequence[int]]]] = ()) -> Certificate:
    """A certificate of kind `pairs`; each location is a class of its own unless said otherwise."""
    table: dict[str, int] = {}
    body: dict[str, Any] = {"classes": [list(c) for c in classes or [range(t.cfa.size) for t in program.templates]],
                            "formulas": [], "pairs": [], "holders": [], "singles": []}
    for where, formula in rows.items():
        dnf = [] if formula is False else [[]] if formula is True else [[formula]] if isinstance(formula, str) else formula
        scope = {v.name: v for v in program.globals}
        for slot, t in enumerate(where[::2], 1):
            scope |= {f"{v.name}@{slot}": v for v in program.templates[t].locals}
        positions = [[table.setdefault(show_exact(condition(f, scope)), len(table)) for f in c] for c in dnf]
        body[{2: "singles", 4: "pairs", 6: "holders"}[len(where)]].append([*where, positions])
    body["formulas"] = list(table)
    scope = {v.name: v for v in program.globals}
    body["counting"] = [{"expr": show_exact(expr(e, scope)), "weights": [list(w) for w in ws]} for e, ws in counting]
    return Certificate(program.fingerprint(), question, "pairs", body)


def both(rows: Mapping[tuple[int, ...], Formula]) -> dict[tuple[int, ...], Formula]:
    """The rows and, of each pair of one template, the other orientation, with the threads in its formulas exchanged."""
    result = dict(rows)
    for where, formula in rows.items():
        if len(where) in (4, 6):
            other = (*where[2:4], *where[0:2], *where[4:])
            result.setdefault(other, _exchange(formula))
    return result


def _exchange(formula: Formula) -> Formula:
    if isinstance(formula, str):
        return formula.replace("@1", "@#").replace("@2", "@1").replace("@#", "@2")
    return formula if isinstance(formula, bool) else [[str(_exchange(f)) for f in c] for c in formula]
