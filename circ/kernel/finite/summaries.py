"""Kind `summaries`: an inductive invariant of a program whose threads have stacks (`frontend.program.program.Procedures`).

The certificate has, for each kind of thread, *entries*: labels that activations of a function may carry. An entry has
rows, each a box: an interval (or anything) for each global and each local, a location, and whether some thread is at a
listed atomic location. It also has callers: rows of entries, at calls of its function. And each kind has *steps*, pairs of
boxes of globals: what its threads may do to them. The invariant of a thread with activations 1 .. n (n runs):

    activation 1 carries an entry in `begin`; the globals and activation n are in a row of n's entry; for i < n the locals
    and location of activation i are in a row of its entry that is a caller of the entry of i + 1.

Obligations: **start**; **step** (from a row, by each move: into a row of the same entry, and in the kind's steps); **call**
(into a row of an entry that has the row as its caller); **return** (from a row at the exit to a row of each caller's
entry); **others** (a step of a thread of another kind, or of the same if there are two, changes the globals of a row at a
place that is not atomic into a row of the same entry with the same locals); **error** (no error location, no false
invariant, no two threads with overlapping globals at conflicting places). No guarantee is trusted: steps are checked like
all the rest. Recursion needs no bound, because an activation is described by its entry alone.
Moves and unlisted atomic locations are as in `circ.kernel.finite.inductive`. A query to the solver speaks of what a move touches
and nothing else: a variable that is not touched must lie in the row's interval before and in the same one behind it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from circ.evidence import Assertions, Question, RaceOn
from circ.kernel.finite.diagram_bodies import InductiveBody
from circ.kernel.finite.inductive import InductiveCheck
from circ.kernel.finite.inductive_terms import section_paths
from circ.kernel.finite.summary_bodies import (
    CellName,
    FunctionEntry,
    Interval,
    SummaryRow,
    ThreadKind,
    begins,
    cells,
    inside,
    overlap,
    read_summaries,
)
from circ.kernel.outcome import Accepted, Outcome, Refused
from circ.semantics.conflicts import conflict
from circ.smt import Encoder, SatResult, Solver, SymbolicState, Term, conjunction, disjunction, equality, negation
from frontend.program import (
    Access,
    Binary,
    Block,
    CallSite,
    Const,
    Edge,
    Element,
    Expr,
    Op,
    Procedures,
    Program,
    Read,
    Scalar,
    Var,
    name_of,
    op_reads,
    op_writes,
    reads,
)

Box: TypeAlias = tuple[tuple[CellName, Interval], ...]
WORD = Scalar(32, False)
NextAccessOrSection: TypeAlias = tuple[Edge, Access] | None
"""An access that is next; None: inside a critical section."""
Marks: TypeAlias = Callable[[int, SummaryRow], list[NextAccessOrSection]]


def check_summaries(program: Program, question: Question, data: Mapping[str, Any]) -> Outcome:
    """Whether the summaries in `data` prove the question's answer to be "safe"."""
    source = program.procedures
    if source is None:
        return Refused("program", "", "its functions are not kept apart")
    if isinstance(question, RaceOn) and all(v.name != question.variable for v in source.program.globals):
        return Refused("program", "", "the variable is not one of those that the functions share")
    sections, kinds = read_summaries(source, data)
    return SummariesCheck(source, question, sections, kinds).outcome()


class SummariesCheck:
    def __init__(self, source: Procedures, question: Question, sections: Sequence[tuple[int, ...]],
                 kinds: Sequence[ThreadKind]) -> None:
        self.source, self.question, self.kinds = source, question, kinds
        self.program = source.program
        self.templates = self.program.templates
        self.numbers = {t.name: i for i, t in enumerate(self.templates)}
        self.listed = [frozenset(s) for s in sections]
        self.base = InductiveCheck(self.program, question, InductiveBody(tuple(sections), (), {}, (), ()))
        self.encoder = Encoder(self.program.ints)
        self.solver = Solver()
        self.gave_up = False
        self.shared = [c for v in self.program.globals for c in cells(v)]
        self.own = [[c for v in t.locals for c in cells(v)] for t in self.templates]
        self.variables = [{v.name: v for v in (*self.program.globals, *t.locals)} for t in self.templates]
        self.moves = [self._moves(i) for i in range(len(self.templates))]
        self.sites = [{t.cfa.edges[c.edge].source: c for c in source.calls[t.name]} for t in self.templates]
        self._known: dict[object, bool] = {}

    def outcome(self) -> Outcome:
        flaw = self._shape() or self.base.check_sections()
        if flaw is not None:
            return Refused("sections", *flaw)
        obligations = {"start": self._start, "step": self._steps, "call": self._calls, "return": self._returns,
                       "others": self._others, "error": self._error}
        for name, obligation in obligations.items():
            failed = obligation()
            if failed is not None:
                return Refused(name, *failed, self.gave_up)
        return Accepted(queries=self.solver.queries)

    def _shape(self) -> tuple[str, str] | None:
        """Calls stand outside all sections, each alone at its location, and nothing else leaves an exit."""
        for i, t in enumerate(self.templates):
            cfa = t.cfa
            if self.source.returns[t.name][0] in cfa.atomic | cfa.critical or cfa.start in cfa.atomic | cfa.critical:
                return t.name, "it begins or ends inside a section"
            for q, site in self.sites[i].items():
                leaving = [e for e in cfa.edges if e.source == q]
                if len(leaving) != 1 or {q, leaving[0].target} & (cfa.atomic | cfa.critical) or leaving[0].accesses:
                    return t.name, f"the call of {site.callee!r} is no plain step"
        return None

    # ----------------------------------------------------------------------------------------------- moves
    def _moves(self, i: int) -> dict[int, list[tuple[Block, int, frozenset[str]]]]:
        """For each location the moves from it: operation, target, and the variables it touches. Calls and exits have none."""
        t = self.templates[i]
        none = {t.cfa.edges[c.edge].source for c in self.source.calls[t.name]} | {self.source.returns[t.name][0]}
        found: dict[int, list[tuple[Block, int, frozenset[str]]]] = {}
        for path in section_paths(t.cfa, self.listed[i]):
            if path[0].source not in none:
                op = Block(tuple(e.op for e in path))
                touched = frozenset((*map(name_of, op_reads(op)), *op_writes(op)))
                found.setdefault(path[0].source, []).append((op, path[-1].target, touched))
        return found

    def _may_move(self, i: int, row: SummaryRow) -> bool:
        return not row.held or row.at in self.listed[i]

    def _steps(self) -> tuple[str, str] | None:
        for kind in self.kinds:
            for entry in kind.entries:
                i = entry.function
                there: dict[tuple[int, bool], list[SummaryRow]] = {}
                for r in entry.rows:
                    there.setdefault((r.at, r.held), []).append(r)
                for row in entry.rows:
                    for op, target, touched in self.moves[i].get(row.at, ()) if self._may_move(i, row) else ():
                        held = target in self.listed[i]
                        if not self._leads(i, row, op, touched, there.get((target, held), ())):
                            return self.templates[i].name, f"a move from location {row.at} leads out of the rows"
                        if not self._announced(kind, i, row, op, touched, held):
                            return self.templates[i].name, f"a move from location {row.at} is not among the steps"
        return None

    def _leads(self, i: int, row: SummaryRow, op: Op, touched: frozenset[str], rows: Iterable[SummaryRow]) -> bool:
        goals = set()
        for r in rows:
            near, far = [], True
            for c, before, after in self._both(i, row, r):
                if c[0] in touched:
                    near.append((c, after))
                else:
                    far = far and inside(before, after)
            if far:
                goals.add(tuple(near))
        return self._always(i, self._touched(i, row, touched), op, goals)

    def _announced(self, kind: ThreadKind, i: int, row: SummaryRow, op: Op, touched: frozenset[str], held: bool) -> bool:
        """Whether the move changes the globals as one of the kind's steps says, or not at all."""
        changed = set(op_writes(op)) & {v.name for v in self.program.globals}
        if not changed and held == row.held:
            return True
        goals = set()
        for before, was, after, now in kind.steps:
            if was != row.held or now != held or not all(map(inside, row.shared, before)):
                continue
            if all(inside(a, b) for c, a, b in zip(self.shared, row.shared, after, strict=True) if c[0] not in touched):
                goals.add(tuple((c, b) for c, b in zip(self.shared, after, strict=True) if c[0] in touched))
        return self._always(i, self._touched(i, row, touched), op, goals, changed if held == row.held else None)

    def _both(self, i: int, one: SummaryRow, two: SummaryRow) -> Iterator[tuple[CellName, Interval, Interval]]:
        yield from zip(self.shared, one.shared, two.shared, strict=True)
        yield from zip(self.own[i], one.own, two.own, strict=True)

    def _touched(self, i: int, row: SummaryRow, touched: frozenset[str]) -> Box:
        return tuple((c, v) for c, v, _ in self._both(i, row, row) if c[0] in touched)

    def _always(self, i: int, before: Box, op: Op, goals: set[Box], same: set[str] | None = None) -> bool:
        """Whether `op` leads from the box into one of the goals only (or leaves the variables in `same` as they are)."""
        key = (i, before, id(op), frozenset(goals), None if same is None else frozenset(same))
        if key not in self._known:
            terms = {n: self.encoder.symbol(v) for n, v in self.variables[i].items()}
            state = SymbolicState(dict(terms), [])
            self.encoder.apply(op, state)
            known = [*self._in_box(i, before, terms), *state.constraints]
            ways = [conjunction(self._in_box(i, g, state.terms)) for g in sorted(goals, key=repr)]
            if same is not None:
                ways.append(conjunction(equality(terms[n], state.terms[n]) for n in sorted(same)))
            self._known[key] = self._refuted(*known, negation(disjunction(ways)))
        return self._known[key]

    def _in_box(self, i: int, box: Box, terms: Mapping[str, Term]) -> list[Term]:
        found = []
        for (name, element), interval in box:
            if interval is not None:
                v = self.variables[i][name]
                lvalue = Var(name, v.type) if element is None else Element(name, Const(element, WORD), v.type)
                low, high = (Const(n, v.type) for n in interval)
                test: Expr = Binary("==", Read(lvalue), low)
                if low != high:
                    test = Binary("&&", Binary(">=", Read(lvalue), low), Binary("<=", Read(lvalue), high))
                found.append(self.encoder.cond(test, terms))
        return found

    def _refuted(self, *terms: Term) -> bool:
        self.solver.push()
        self.solver.add(*terms)
        answer = self.solver.check()
        self.solver.pop()
        self.gave_up = self.gave_up or answer is SatResult.UNKNOWN
        return answer is SatResult.UNSAT

    def _covered(
        self, i: int, box: Sequence[tuple[CellName, Interval]], rows: Iterable[Sequence[tuple[CellName, Interval]]],
    ) -> bool:
        """Whether every state of the box is in one of the boxes over the same cells."""
        left = []
        for row in rows:
            wrong = [(c, b) for (c, a), (_, b) in zip(box, row, strict=True) if not inside(a, b)]
            if not wrong:
                return True
            left.append(tuple(wrong))
        used = {c for row in left for c, _ in row}
        return bool(left) and self._always(i, tuple((c, a) for c, a in box if c in used), NOTHING, set(left))

    # ----------------------------------------------------------------------------------------------- obligations
    def _start(self) -> tuple[str, str] | None:
        for kind in self.kinds:
            i = kind.function
            t = self.templates[i]
            start = [(c, begins(v, c[1])) for v in self.program.globals for c in cells(v)]
            number = None if kind.number is None else (kind.number, kind.number)
            params = {p.name for p in self.source.params[t.name]}
            start += [(c, number if c[0] in params else None) for c in self.own[i]]
            rows = [self._box(i, r) for n in kind.begin for r in kind.entries[n].rows
                    if kind.entries[n].function == i and r.at == t.cfa.start and not r.held]
            if not self._covered(i, start, rows):
                return t.name, "a start state is in no row"
        return None

    def _box(self, i: int, row: SummaryRow) -> list[tuple[CellName, Interval]]:
        return [(c, v) for c, v, _ in self._both(i, row, row)]

    def _calls(self) -> tuple[str, str] | None:
        for kind in self.kinds:
            entered: dict[tuple[int, int], list[int]] = {}
            for n, entry in enumerate(kind.entries):
                for caller in entry.callers:
                    entered.setdefault(caller, []).append(n)
            for n, entry in enumerate(kind.entries):
                i = entry.function
                for m, row in enumerate(entry.rows):
                    site = self.sites[i].get(row.at)
                    if site is not None and not row.held:
                        inner = [kind.entries[k] for k in entered.get((n, m), ())]
                        if not self._enters(i, row, site, inner):
                            return self.templates[i].name, f"the call of {site.callee!r} enters no row"
        return None

    def _enters(self, i: int, row: SummaryRow, site: CallSite, inner: Sequence[FunctionEntry]) -> bool:
        callee = self.numbers[site.callee]
        params = self.source.params[site.callee]
        names = [p.name for p in params]
        goals = set()
        for entry in inner:
            for r in entry.rows:
                rest = [v for c, v in zip(self.own[callee], r.own, strict=True) if c[0] not in names]
                if entry.function != callee or r.at != self.templates[callee].cfa.start or r.held or any(rest):
                    continue
                if all(map(inside, row.shared, r.shared)):
                    goals.add(tuple((c, v) for c, v in zip(self.own[callee], r.own, strict=True) if c[0] in names))
        used = frozenset(name_of(v) for a in site.args for v in reads(a))
        key = ("call", i, site.edge, self._touched(i, row, used), frozenset(goals))
        if key not in self._known:
            terms = {n: self.encoder.symbol(v) for n, v in self.variables[i].items()}
            given = {p.name: self.encoder.value(a, terms) for p, a in zip(params, site.args, strict=True)}
            ways = [conjunction(self._in_box(callee, g, given)) for g in sorted(goals, key=repr)]
            known = self._in_box(i, self._touched(i, row, used), terms)
            self._known[key] = self._refuted(*known, negation(disjunction(ways)))
        return self._known[key]

    def _returns(self) -> tuple[str, str] | None:
        for kind in self.kinds:
            there: list[dict[int, list[list[tuple[CellName, Interval]]]]] = []
            for entry in kind.entries:
                table: dict[int, list[list[tuple[CellName, Interval]]]] = {}
                for r in entry.rows:
                    if not r.held:
                        table.setdefault(r.at, []).append(self._box(entry.function, r))
                there.append(table)
            for entry in kind.entries:
                callee = self.templates[entry.function].name
                place, result = self.source.returns[callee]
                for row, (outer, number) in itertools.product(entry.rows, entry.callers):
                    if row.at != place or row.held:
                        continue
                    i = kind.entries[outer].function
                    caller = kind.entries[outer].rows[number]
                    site = self.sites[i].get(caller.at)
                    if site is None or site.callee != callee:
                        return callee, "a caller is not at a call of it"
                    own = dict(zip(self.own[i], caller.own, strict=True))
                    if site.result is not None:
                        at = None if result is None else self.own[entry.function].index((result.name, None))
                        own[site.result.name, None] = None if at is None else row.own[at]
                    box = [*zip(self.shared, row.shared, strict=True), *own.items()]
                    target = self.templates[i].cfa.edges[site.edge].target
                    if not self._covered(i, box, there[outer].get(target, ())):
                        return callee, f"it returns to {self.templates[i].name!r} outside the rows"
        return None

    def _others(self) -> tuple[str, str] | None:
        for k, kind in enumerate(self.kinds):
            steps = [s for j, other in enumerate(self.kinds) if j != k or kind.count > 1 for s in other.steps]
            for entry in kind.entries:
                i = entry.function
                there: dict[tuple[object, ...], list[tuple[Interval, ...]]] = {}
                for r in entry.rows:
                    there.setdefault((r.at, r.own, r.held), []).append(r.shared)
                for row in entry.rows:
                    if row.at in self.listed[i]:
                        continue
                    for before, was, after, now in steps:
                        if was == row.held and all(map(overlap, row.shared, before)):
                            rows = there.get((row.at, row.own, now), ())
                            if not any(all(map(inside, after, r)) for r in rows):
                                return self.templates[i].name, f"a step of another thread leads out of the rows at {row.at}"
        return None

    # ----------------------------------------------------------------------------------------------- errors
    def _error(self) -> tuple[str, str] | None:
        match self.question:
            case Assertions():
                for kind in self.kinds:
                    for entry in kind.entries:
                        t = self.templates[entry.function]
                        if any(r.at in t.cfa.errors for r in entry.rows):
                            return t.name, "an error location has a row"
                        for inv in self.program.invariants:
                            if not all(self._holds(entry.function, r, inv.cond) for r in entry.rows):
                                return inv.text, "the invariant does not follow"
                return self._apart(lambda i, r: [None] if r.at in self.templates[i].cfa.critical else [])
            case RaceOn():
                places = [self.base.accesses(t) for t in self.templates]
                return self._apart(lambda i, r: [(e, a) for e, a in places[i] if e.source == r.at])

    def _holds(self, i: int, row: SummaryRow, cond: Expr) -> bool:
        used = frozenset(name_of(v) for v in reads(cond))
        key = ("holds", i, self._touched(i, row, used), id(cond))
        if key not in self._known:
            terms = {n: self.encoder.symbol(v) for n, v in self.variables[i].items()}
            known = self._in_box(i, self._touched(i, row, used), terms)
            self._known[key] = self._refuted(*known, negation(self.encoder.cond(cond, terms, strict=True)))
        return self._known[key]

    def _apart(self, marks: Marks) -> tuple[str, str] | None:
        """No two different threads are in rows with overlapping globals at conflicting places."""
        marked: list[dict[tuple[int, SummaryRow], list[NextAccessOrSection]]] = []
        for kind in self.kinds:
            rows = dict.fromkeys((e.function, r) for e in kind.entries for r in e.rows)
            marked.append({(i, r): found for i, r in rows if (found := marks(i, r))})
        for k, j in itertools.combinations_with_replacement(range(len(self.kinds)), 2):
            if k == j and self.kinds[k].count < 2:
                continue
            for ((i, r), first), ((m, s), second) in itertools.product(marked[k].items(), marked[j].items()):
                both = r.at in self.listed[i] and s.at in self.listed[m]
                if both or r.held != s.held or not all(map(overlap, r.shared, s.shared)):
                    continue
                for one, two in itertools.product(first, second):
                    if self._clash(i, r, one, m, s, two):
                        return self.templates[i].name, f"two threads can be at conflicting places, {r.at} and {s.at}"
        return None

    def _clash(self, i: int, r: SummaryRow, one: NextAccessOrSection, m: int, s: SummaryRow, two: NextAccessOrSection) -> bool:
        if one is None or two is None:
            return True
        if not conflict(self.program.race_model, *one, *two):
            return False
        terms: list[dict[str, Term]] = []
        known: list[Term] = []
        key: list[object] = ["clash"]
        for side, (f, row, (edge, access)) in enumerate(((i, r, one), (m, s, two))):
            before = self.base.prefixes.before(edge, access)
            index = access.lvalue.index if isinstance(access.lvalue, Element) and not access.whole else None
            used = frozenset((*map(name_of, op_reads(before)), *op_writes(before),
                              *(name_of(v) for v in (reads(index) if index is not None else ()))))
            own = {v.name: self.encoder.symbol(v, f"@{side}") for v in self.templates[f].locals}
            terms.append({**{v.name: self.encoder.symbol(v) for v in self.program.globals}, **own})
            state = SymbolicState(dict(terms[side]), [])
            self.encoder.apply(before, state)
            box = self._touched(f, row, used)
            known += [*self._in_box(f, box, terms[side]), *state.constraints]
            key += [id(edge), id(access), box]
        a, b = one[1].lvalue, two[1].lvalue
        if isinstance(a, Element) and isinstance(b, Element) and not one[1].whole and not two[1].whole:
            known.append(equality(self.encoder.index(a.index, terms[0]), self.encoder.index(b.index, terms[1])))
        found = tuple(key)
        if found not in self._known:
            self._known[found] = not self._refuted(*known)
        return self._known[found]


NOTHING = Block(())
