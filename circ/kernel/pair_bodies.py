"""The body of a `pairs` or `triples` certificate (docs/certificate.md) as checked data: numbers in range, formulas typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from circ.kernel.formula import parse
from circ.kernel.outcome import Malformed
from circ.kernel.untrusted_json import as_list, as_natural, as_object, as_text
from frontend.program import Expr, Program, Scalar, Variable, variables
from frontend.records import dataclass

_REQUIRED = ("classes", "formulas", "pairs")
_OPTIONAL = ("holders", "singles", "counting", "every")
ANY = Variable("@any", Scalar(64, False))
"""The index that formulas of `every` speak about, whichever it is."""

SLOTS = (1, 2, 3, 4)
"""The threads that an obligation speaks of; a local of thread n is written `name@n`."""


@dataclass(frozen=True, slots=True)
class FormulaSymbol:
    """A variable as formulas write it: `text`; the slot of the thread it belongs to, 0 for a global; its own name."""

    text: str
    slot: int
    name: str


@dataclass(frozen=True, slots=True)
class FormulaRow:
    """A disjunction of conjunctions over the globals and the locals of threads of these templates, in slots 1, 2, 3."""

    templates: tuple[int, ...]
    dnf: tuple[tuple[Expr, ...], ...]
    symbols: tuple[FormulaSymbol, ...]
    conjuncts: tuple[FormulaRow, ...] = ()
    """Rows that say together what this one says, if it is a conjunction of several formulas."""

    @property
    def parts(self) -> tuple[FormulaRow, ...]:
        return self.conjuncts or (self,)


FALSE_ROW = FormulaRow((), (), ())


@dataclass(frozen=True, slots=True)
class Counting:
    """`expr` over the globals equals the sum of `weights[template][class]` over all threads."""

    expr: Expr
    symbols: tuple[FormulaSymbol, ...]
    weights: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class PairsBody:
    """`classes[template][location]`; rows by (template, class) of each thread they speak of; a missing row is false."""

    classes: tuple[tuple[int, ...], ...]
    pairs: Mapping[tuple[int, ...], FormulaRow]
    holders: Mapping[tuple[int, ...], FormulaRow]
    singles: Mapping[tuple[int, ...], FormulaRow]
    counting: tuple[Counting, ...]
    every: Mapping[tuple[int, ...], FormulaRow]
    """Beside `pairs`: what holds of the two threads for every value of `ANY`; a missing row is true."""
    triples: Mapping[tuple[int, ...], FormulaRow] = field(default_factory=dict)
    """Instead of `pairs`: rows by three places in order."""

    @property
    def rows(self) -> tuple[FormulaRow, ...]:
        return tuple(r for part in (self.pairs, self.holders, self.singles, self.every, self.triples) for r in part.values())


def read_body(program: Program, data: Mapping[str, Any]) -> PairsBody:
    """The body of a proof by pairs as data, or `Malformed`."""
    return _BodyReader(program, as_object(data, "the body", _REQUIRED, _OPTIONAL)).body()


def read_triples(program: Program, data: Mapping[str, Any]) -> PairsBody:
    """The body of a proof by triples as data, or `Malformed`."""
    return _BodyReader(program, as_object(data, "the body", ("classes", "formulas", "triples"))).triples()


class _BodyReader:
    def __init__(self, program: Program, data: Mapping[str, Any]) -> None:
        self.program = program
        self.data = data
        self.formulas = as_list(data["formulas"], "formulas")
        self.some: tuple[Variable, ...] = ()
        """What formulas may name beside the program's variables."""
        self._parsed: dict[tuple[int, tuple[int, ...]], Expr] = {}
        self._names: dict[int, tuple[frozenset[str], Expr]] = {}
        self._rows: dict[tuple[Any, ...], FormulaRow] = {}
        self._scopes: dict[tuple[int, ...], tuple[dict[str, Variable], dict[str, FormulaSymbol]]] = {}

    def body(self) -> PairsBody:
        classes = self.classes()
        used = tuple(frozenset(c) for c in classes)
        pairs, holders, singles = (self.rows(key, arity, used) for key, arity in (("pairs", 2), ("holders", 3), ("singles", 1)))
        counting = tuple(self.counting(c, used) for c in as_list(self.data.get("counting", []), "counting"))
        return PairsBody(classes, pairs, holders, singles, counting, self.every(used))

    def triples(self) -> PairsBody:
        classes = self.classes()
        rows = self.rows("triples", 3, tuple(frozenset(c) for c in classes))
        for where in rows:
            if not where[0:2] <= where[2:4] <= where[4:6]:
                raise Malformed(f"row {where} of 'triples': its places are not in order")
        return PairsBody(classes, {}, {}, {}, (), {}, rows)

    def classes(self) -> tuple[tuple[int, ...], ...]:
        lists = as_list(self.data["classes"], "classes", len(self.program.templates))
        return tuple(
            tuple(as_natural(c, "a class", t.cfa.size) for c in as_list(classes, f"the classes of {t.name!r}", t.cfa.size))
            for t, classes in zip(self.program.templates, lists, strict=True))

    def rows(self, key: str, arity: int, used: Sequence[frozenset[int]]) -> dict[tuple[int, ...], FormulaRow]:
        rows: dict[tuple[int, ...], FormulaRow] = {}
        for item in as_list(self.data.get(key, []), key):
            cells = as_list(item, f"a row of {key!r}", 2 * arity + 1)
            templates = tuple(as_natural(t, "a template", len(self.program.templates)) for t in cells[0:-1:2])
            classes = tuple(as_natural(c, "a class", self.program.templates[t].cfa.size)
                            for t, c in zip(templates, cells[1:-1:2], strict=True))
            where = tuple(n for place in zip(templates, classes, strict=True) for n in place)
            if any(c not in used[t] for t, c in zip(templates, classes, strict=True)):
                raise Malformed(f"row {where} of {key!r}: a class without locations")
            if where in rows:
                raise Malformed(f"two rows {where} of {key!r}")
            rows[where] = self.row(cells[-1], templates)
        return rows

    def every(self, used: Sequence[frozenset[int]]) -> dict[tuple[int, ...], FormulaRow]:
        """One conjunction a row: a disjunction would not be the same for all indices at once."""
        if "every" not in self.data:
            return {}
        if any(ANY.name == v.name for v in self.program.globals):
            raise Malformed(f"a variable has the name {ANY.name!r}")
        self.some, self._parsed, self._rows, self._scopes = (ANY,), {}, {}, {}
        rows = self.rows("every", 2, used)
        if any(len(row.dnf) != 1 for row in rows.values()):
            raise Malformed("a row of 'every' is not one conjunction")
        return rows

    def row(self, dnf: Any, templates: tuple[int, ...]) -> FormulaRow:
        """Equal rows are one object, so that what is built from them is built once."""
        positions = tuple(tuple(as_natural(p, "a formula", len(self.formulas)) for p in as_list(c, "a conjunction"))
                          for c in as_list(dnf, "a disjunction"))
        key = (positions, templates)
        if key not in self._rows:
            made = tuple(tuple(self.formula(p, templates) for p in c) for c in positions)
            single = len(positions) == 1 and len(positions[0]) > 1
            parts = tuple(self.row([[p]], templates) for p in dict.fromkeys(positions[0])) if single else ()
            self._rows[key] = FormulaRow(templates, made, self.symbols((e for c in made for e in c), templates), parts)
        return self._rows[key]

    def formula(self, position: int, templates: tuple[int, ...]) -> Expr:
        text = as_text(self.formulas[position], f"formula {position}")
        # What a formula means depends only on the templates of the slots it may mention.
        key = (position, tuple(t if f"@{slot}" in text else -1 for slot, t in enumerate(templates, 1)))
        if key not in self._parsed:
            self._parsed[key] = parse(text, self.scope(templates)[0], self.program.ints)
        return self._parsed[key]

    def scope(self, templates: tuple[int, ...]) -> tuple[dict[str, Variable], dict[str, FormulaSymbol]]:
        """What a formula may name when the thread in slot i is of the i-th of `templates`."""
        if templates not in self._scopes:
            known = {v.name: v for v in (*self.program.globals, *self.some)}
            symbols = {name: FormulaSymbol(name, 0, name) for name in known}
            for slot, t in enumerate(templates, 1):
                for v in self.program.templates[t].locals:
                    text = f"{v.name}@{slot}"
                    if text in known:
                        raise Malformed(f"{text!r} names two variables")
                    known[text], symbols[text] = v, FormulaSymbol(text, slot, v.name)
            self._scopes[templates] = known, symbols
        return self._scopes[templates]

    def symbols(self, formulas: Any, templates: tuple[int, ...]) -> tuple[FormulaSymbol, ...]:
        known = self.scope(templates)[1]
        return tuple(known[name] for name in sorted({n for e in formulas for n in self.names(e)}))

    def names(self, e: Expr) -> frozenset[str]:
        """What a formula names. It is kept with the answer, as its identity stands in the key."""
        if id(e) not in self._names:
            self._names[id(e)] = variables(e), e
        return self._names[id(e)][0]

    def counting(self, item: Any, used: Sequence[frozenset[int]]) -> Counting:
        fact = as_object(item, "a counting fact", ("expr", "weights"))
        expr = parse(as_text(fact["expr"], "a counted expression"), self.scope(())[0], self.program.ints)
        if expr.type.width < 2:
            raise Malformed("a counting fact about a truth value")
        lists = as_list(fact["weights"], "weights", len(self.program.templates))
        weights = tuple(tuple(as_natural(w, "a weight", expr.type.high // 3 + 1)
                              for w in as_list(ws, "the weights of a template", max(c) + 1))
                        for ws, c in zip(lists, used, strict=True))
        return Counting(expr, self.symbols((expr,), ()), weights)

