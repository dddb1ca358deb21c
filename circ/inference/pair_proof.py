"""From a closed set of pairs to the certificate that the kernel checks.

`P` at two anchors is read off the pairs: OR over classes A of F(q1, A)(g, l1) AND gamma_A[q2](g, l2). At a node in between
it is the weakest precondition of the rest of its segment; `K` comes from the pairs with a holder in the same way. Rows are
per node of the skeletons, so locations that the analysis could not tell apart share one formula.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from circ.abstraction.connectives import balanced, conjoin, disjoin
from circ.abstraction.predicates import Abstraction, bits, canonical
from circ.abstraction.skeleton import Skeleton
from circ.abstraction.trace_formulas import qualify, qualify_op
from circ.inference.acfa import collapse
from circ.inference.arg import AbstractSystem
from circ.inference.miners import atoms
from circ.inference.omega import Pairs, may_exist
from circ.verdict import Certificate, ProofKind, Question
from circ.views.waits import awaited
from frontend.program import (
    FALSE,
    TRUE,
    AllAt,
    Assign,
    Assume,
    Binary,
    Cast,
    Element,
    Expr,
    Havoc,
    Ite,
    Lvalue,
    Op,
    Program,
    Read,
    Scalar,
    Var,
    negate,
    primitive,
    show,
    substitute,
    truth,
)
from frontend.program.exact import show_exact
from frontend.program.fold import fold

Dnf: TypeAlias = tuple[tuple[Expr, ...], ...]
"""A disjunction of conjunctions."""

Spot: TypeAlias = tuple[int, int]
"""A template and a node of its skeleton."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A certificate, and the conditions on variables that its formulas are made of, in C."""

    certificate: Certificate
    predicates: tuple[str, ...]


def certificate(program: Program, question: Question, system: AbstractSystem, pairs: Pairs) -> Proof:
    """The pair certificate of a closed set of pairs."""
    writer = _Writer(program, system, pairs)
    return Proof(writer.write(question), writer.predicates())


def single_certificate(program: Program, question: Question, system: AbstractSystem) -> Proof:
    """The certificate of a program that has one thread in all: a formula for each node."""
    pairs = Pairs(tuple(collapse(arg, t)[0] for t, arg in enumerate(system.args)), ())
    writer = _Writer(program, system, pairs)
    return Proof(writer.write_single(question), writer.predicates())


def cover(minterms: Iterable[int], positions: tuple[int, ...], predicates: tuple[Expr, ...]) -> Expr:
    """A formula that holds exactly in the minterms over the predicates at `positions`."""
    mask = sum(1 << i for i in positions)
    known: dict[tuple[frozenset[int], int], Expr] = {}

    def split(rest: frozenset[int], at: int) -> Expr:
        if not rest:
            return FALSE
        if len(rest) == 1 << (len(positions) - at):
            return TRUE
        if (rest, at) not in known:
            bit = 1 << positions[at]
            yes, no = frozenset(m ^ bit for m in rest if m & bit), frozenset(m for m in rest if not m & bit)
            p = predicates[positions[at]]
            if yes == no:
                known[rest, at] = split(yes, at + 1)
            else:
                one, other = split(yes, at + 1), split(no, at + 1)
                if other == TRUE:
                    known[rest, at] = disjoin(negate(p), one)
                elif one == TRUE:
                    known[rest, at] = disjoin(p, other)
                else:
                    known[rest, at] = disjoin(conjoin(p, one), conjoin(negate(p), other))
        return known[rest, at]

    return split(frozenset(m & mask for m in minterms), 0)


# --------------------------------------------------------------------------------------------------- weakest preconditions
def weakest(op: Op, after: Expr) -> Expr:
    """The weakest condition under which the operation can only end in `after`; no havoc, whose wp needs a quantifier."""
    for part in reversed(tuple(primitive(op))):
        match part:
            case Assume(cond=c):
                after = disjoin(negate(c), after)
            case Assign(target=t, value=e):
                after = fold(substitute(after, _replacing(t, e)))
            case Havoc() | AllAt():
                raise AssertionError("an anchor must stand before a havoc")
    return after


def _replacing(target: Lvalue, value: Expr) -> Callable[[Lvalue], Expr | None]:
    def replace(v: Lvalue) -> Expr | None:
        if isinstance(target, Var):
            return value if v == target else None
        if isinstance(v, Element) and v.array == target.array:
            wide = Scalar(64, False)
            return Ite(Binary("==", Cast(v.index, wide), Cast(target.index, wide)), value, Read(v))
        return None

    return replace


# --------------------------------------------------------------------------------------------------- fewer classes
def joined(
    classes: list[list[int]], apart: Sequence[tuple[frozenset[int], ...]], pairs: list[list[Any]], holders: list[list[Any]]
) -> tuple[list[list[int]], list[list[Any]], list[list[Any]]]:
    """The same certificate with classes of which it says the same as one: fewer rows, and fewer obligations.

    `apart[t]`: sets of locations of template t; classes that differ in whether they meet one are not joined.
    """
    profiles: dict[tuple[int, int], list[tuple[Any, ...]]] = defaultdict(list)
    for rows in (pairs, holders):
        for row in rows:
            *where, table = row
            text = tuple(map(tuple, table))
            for place in range(0, len(where), 2):
                profiles[where[place], where[place + 1]].append((place, *where[:place], *where[place + 2:], text))
    number: list[dict[int, int]] = []
    for t, row in enumerate(classes):
        meets = [{row[q] for q in places} for places in apart[t]]
        seen: dict[object, int] = {}
        number.append({c: seen.setdefault((frozenset(profiles[t, c]), *(c in m for m in meets)), len(seen))
                       for c in sorted(set(row))})

    def renamed(rows: list[list[Any]]) -> list[list[Any]]:
        found: dict[tuple[int, ...], list[Any]] = {}
        for *where, table in rows:
            place = tuple(number[where[i - 1]][n] if i % 2 else n for i, n in enumerate(where))
            found.setdefault(place, table)
        return [[*place, table] for place, table in found.items()]

    return [[number[t][c] for c in row] for t, row in enumerate(classes)], renamed(pairs), renamed(holders)


# --------------------------------------------------------------------------------------------------- the writer
class _Writer:
    def __init__(self, program: Program, system: AbstractSystem, pairs: Pairs) -> None:
        self.program, self.system, self.pairs = program, system, pairs
        self.own = [frozenset(v.name for v in sk.original.locals) for sk in system.skeletons]
        self.numbers: dict[str, int] = {}
        self.nodes = [_reachable(sk) for sk in system.skeletons]
        self.first: dict[tuple[int, int, tuple[int, int], tuple[int, int] | None], set[int]] = defaultdict(set)
        for (t, (q, g, l), key, holder) in pairs.reached:
            self.first[t, q, key, holder].add(system.abstractions[t].join(g, l))
        self.keys = [
            sorted({(key, holder) for (u, _, key, holder) in self.first if u == t}, key=repr) for t in range(len(self.own))
        ]
        self._unary: dict[tuple[int, int, frozenset[int]], Expr] = {}
        self._gamma: dict[tuple[int, int, int], Expr] = {}
        self._qualified: dict[tuple[Expr, int, int], Expr] = {}
        self._pair: dict[tuple[Spot, Spot], Dnf] = {}
        self._held: dict[tuple[Spot, Spot, Spot], Dnf] = {}
        # By identity, since hashing a formula walks through all of it; the formula is kept, so that its identity stays its own.
        self._before: dict[tuple[int, int, int, int, int], tuple[Expr, Expr]] = {}
        self._number: dict[int, tuple[Expr, int]] = {}
        self._parts: dict[tuple[int, int, int], tuple[Op, ...]] = {}
        self._texts: dict[Expr, str] = {}

    def write_single(self, question: Question) -> Certificate:
        (t,) = (i for i, sk in enumerate(self.system.skeletons) if sk.original.count == 1)
        rows: list[list[Any]] = []
        for i, node in enumerate(self.nodes[t]):
            dnf = self.single((t, node))
            if dnf:
                rows.append([t, i, self.table(dnf)])
        body = {"classes": self.classes(), "formulas": list(self.numbers), "pairs": [], "holders": [], "singles": rows}
        return Certificate(self.program.fingerprint(), question, ProofKind.PAIRS, body)

    def single(self, spot: Spot) -> Dnf:
        """What holds when the only thread is at a node."""
        t, node = spot
        sk = self.system.skeletons[t]
        if node not in sk.anchor_of:
            return self.before(spot, 1, self.single)
        anchor = sk.anchor_of[node]
        ab = self.system.abstractions[t]
        states = frozenset(ab.join(g, l) for group in self.pairs.acfas[t].states for q, g, l in group if q == anchor)
        formula = self.unary(t, anchor, states)
        return () if formula == FALSE else ((self.named(formula, t, 1),),)

    def classes(self) -> list[list[int]]:
        """The class of each location: its node's number; locations that nothing reaches share classes without rows."""
        result = []
        for t, sk in enumerate(self.system.skeletons):
            number: dict[object, int] = {node: i for i, node in enumerate(self.nodes[t])}
            row = []
            for q in range(sk.original.cfa.size):
                node = sk.node_of[q]
                kind = node if node in number else ("unreached", q in sk.original.cfa.atomic)
                row.append(number.setdefault(kind, len(number)))
            result.append(row)
        return result

    def write(self, question: Question) -> Certificate:
        spots = [(t, node) for t, nodes in enumerate(self.nodes) for node in nodes]
        class_of = [{node: i for i, node in enumerate(nodes)} for nodes in self.nodes]
        rows: list[list[Any]] = []
        for a in spots:
            self.system.options.check_time()
            for b in spots:
                if may_exist(self.system, a[0], b[0]):
                    dnf = self.pair(a, b)
                    if dnf:
                        rows.append([a[0], class_of[a[0]][a[1]], b[0], class_of[b[0]][b[1]], self.table(dnf)])
        held: list[list[Any]] = []
        atomic = [s for s in spots if self.is_atomic(s)]
        calm = [s for s in spots if not self.is_atomic(s)]
        for c in atomic:
            self.system.options.check_time()
            for a in calm:
                for b in calm:
                    if may_exist(self.system, a[0], b[0], c[0]):
                        dnf = self.holding(a, b, c)
                        if dnf:
                            places = [n for t, node in (a, b, c) for n in (t, class_of[t][node])]
                            held.append([*places, self.table(dnf)])
        classes, rows, held = joined(self.classes(), [self.guarded(t) for t in range(len(self.nodes))], rows, held)
        body = {"classes": classes, "formulas": list(self.numbers), "pairs": rows, "holders": held, "singles": []}
        return Certificate(self.program.fingerprint(), question, ProofKind.PAIRS, body)

    def guarded(self, t: int) -> tuple[frozenset[int], ...]:
        """The sets of locations of a template that the kernel tells apart: atomic ones, and those that others wait for."""
        original = self.system.skeletons[t].original
        return (original.cfa.atomic, *awaited(self.program)[original.name])

    def table(self, dnf: Dnf) -> list[list[int]]:
        """The rows of a formula by their numbers in the table of texts."""
        return [[self.number(e) for e in conjuncts if e is not TRUE and e != TRUE] for conjuncts in dnf]

    def number(self, e: Expr) -> int:
        if id(e) not in self._number:
            if e not in self._texts:
                self._texts[e] = show_exact(e)
            self._number[id(e)] = (e, self.numbers.setdefault(self._texts[e], len(self.numbers)))
        return self._number[id(e)][1]

    def predicates(self) -> tuple[str, ...]:
        """The conditions in the formulas, each once and not its negation, with the names a user knows."""
        shown = {v.name: v.shown or v.name for v in self.program.globals}
        for sk in self.system.skeletons:
            for v in sk.original.locals:
                shown.update({f"{v.name}@{slot}": v.shown or v.name for slot in (1, 2, 3)})

        def plain(v: Lvalue) -> Expr | None:
            if isinstance(v, Var):
                return Read(Var(shown.get(v.name, v.name), v.type))
            return Read(Element(shown.get(v.array, v.array), v.index, v.type))

        found: dict[str, None] = {}
        for e in self._texts:
            for atom in atoms(e):
                c = canonical(fold(atom))
                if c is not None:
                    found[show(substitute(c, plain))] = None
        return tuple(found)

    def is_atomic(self, spot: Spot) -> bool:
        sk = self.system.skeletons[spot[0]]
        return sk.members[spot[1]][0] in sk.original.cfa.atomic

    # ----------------------------------------------------------------------------------------------- P
    def pair(self, a: Spot, b: Spot) -> Dnf:
        """P at two nodes: from the pairs at anchors, by weakest precondition in between."""
        if (a, b) not in self._pair:
            if a[1] not in self.system.skeletons[a[0]].anchor_of:
                self._pair[a, b] = self.before(a, 1, lambda goal: self.pair(goal, b))
            elif b[1] not in self.system.skeletons[b[0]].anchor_of:
                self._pair[a, b] = self.before(b, 2, lambda goal: self.pair(a, goal))
            else:
                self._pair[a, b] = self.at_anchors(a, b)
        return self._pair[a, b]

    def at_anchors(self, a: Spot, b: Spot) -> Dnf:
        q1 = self.system.skeletons[a[0]].anchor_of[a[1]]
        q2 = self.system.skeletons[b[0]].anchor_of[b[1]]
        found = []
        for key, holder in self.keys[a[0]]:
            if key[0] == b[0] and holder is None:
                here = self.first.get((a[0], q1, key, None))
                other = self.gamma(b[0], key[1], q2)
                if here and other != FALSE:
                    found.append((self.named(self.unary(a[0], q1, frozenset(here)), a[0], 1), self.named(other, b[0], 2)))
        return tuple(found)

    # ----------------------------------------------------------------------------------------------- K
    def holding(self, a: Spot, b: Spot, c: Spot) -> Dnf:
        """K at two nodes while a third thread is at the atomic node c."""
        key = (a, b, c)
        if key not in self._held:
            if a[1] not in self.system.skeletons[a[0]].anchor_of:
                self._held[key] = self.before(a, 1, lambda goal: self.holding(goal, b, c))
            elif b[1] not in self.system.skeletons[b[0]].anchor_of:
                self._held[key] = self.before(b, 2, lambda goal: self.holding(a, goal, c))
            elif c[1] not in self.system.skeletons[c[0]].anchor_of:
                onward = lambda goal: self.holding(a, b, goal) if self.is_atomic(goal) else self.pair(a, b)  # noqa: E731
                self._held[key] = self.before(c, 3, onward)
            else:
                self._held[key] = self.held_at_anchors(a, b, c)
        return self._held[key]

    def held_at_anchors(self, a: Spot, b: Spot, c: Spot) -> Dnf:
        q1, q2, q3 = (self.system.skeletons[t].anchor_of[node] for t, node in (a, b, c))
        found = []
        for key, holder in self.keys[a[0]]:
            if key[0] == b[0] and holder is not None and holder[0] == c[0]:
                here = self.first.get((a[0], q1, key, holder))
                other, third = self.gamma(b[0], key[1], q2), self.gamma(c[0], holder[1], q3)
                if here and FALSE not in (other, third):
                    first = self.named(self.unary(a[0], q1, frozenset(here)), a[0], 1)
                    found.append((first, self.named(other, b[0], 2), self.named(third, c[0], 3)))
        return tuple(found)

    # ----------------------------------------------------------------------------------------------- pieces
    def before(self, spot: Spot, number: int, after: Callable[[Spot], Dnf]) -> Dnf:
        """What must hold at a node in between so that every way on ends in what `after` says of its target.

        Where there is one way on, or two that a condition decides between, the result keeps the shape of what it is made
        from: small conjuncts, whose weakest preconditions are few and known, instead of one formula that grows.
        """
        t, node = spot
        sk = self.system.skeletons[t]
        ways = [(i, sk.weak.cfa.edges[i]) for i in sk.outgoing[node]]
        if len(ways) == 1:
            [(i, e)] = ways
            return self.through(t, i, number, after((t, sk.node_of[e.target])))
        guards = [self.guard(t, i, number) for i, _ in ways]
        if len(ways) == 2 and guards[0] is not None and guards[1] is not None and negate(guards[0]) == guards[1]:
            return tuple((guard, *conjuncts) for guard, (_, e) in zip(guards, ways, strict=True)
                         for conjuncts in after((t, sk.node_of[e.target])) if guard is not None)
        wholes = [truth(_flat(self.through(t, i, number, after((t, sk.node_of[e.target]))))) for i, e in ways]
        result = balanced(conjoin, TRUE, wholes)
        return () if result == FALSE else ((result,),)

    def through(self, t: int, i: int, number: int, after: Dnf) -> Dnf:
        """What must hold before an edge so that its step can only end in `after`."""
        parts = self.parts(t, i, number)
        for n in reversed(range(len(parts))):
            op = parts[n]
            if isinstance(op, Assume):
                after = ((negate(op.cond),), *after)
            else:
                rows = (tuple(self.conjunct_before(t, i, n, number, op, e) for e in conjuncts) for conjuncts in after)
                after = tuple(row for row in rows if FALSE not in row)
        return after

    def parts(self, t: int, i: int, number: int) -> tuple[Op, ...]:
        """The primitive operations of an edge, taken by thread `number`."""
        key = (t, i, number)
        if key not in self._parts:
            ops = primitive(self.system.skeletons[t].weak.cfa.edges[i].op)
            self._parts[key] = tuple(_named_op(p, number, self.own[t]) for p in ops)
        return self._parts[key]

    def guard(self, t: int, i: int, number: int) -> Expr | None:
        """The condition of an edge that does nothing but test it."""
        match self.parts(t, i, number):
            case (Assume(cond=c),):
                return c
            case _:
                return None

    def conjunct_before(self, t: int, i: int, n: int, number: int, op: Op, after: Expr) -> Expr:
        key = (t, i, n, number, id(after))
        if key not in self._before:
            self._before[key] = (after, weakest(op, after))
        return self._before[key][1]

    def unary(self, t: int, anchor: int, minterms: frozenset[int]) -> Expr:
        key = (t, anchor, minterms)
        if key not in self._unary:
            ab = self.system.abstractions[t]
            self._unary[key] = cover(minterms, tuple(bits(ab.active[anchor])), ab.all)
        return self._unary[key]

    def gamma(self, t: int, c: int, anchor: int) -> Expr:
        """What is known of a thread of class c at this anchor: gamma_A[q], with its own predicates."""
        key = (t, c, anchor)
        if key not in self._gamma:
            ab: Abstraction = self.system.abstractions[t]
            states = frozenset(ab.join(g, l) for q, g, l in self.pairs.acfas[t].states[c] if q == anchor)
            self._gamma[key] = self.unary(t, anchor, states)
        return self._gamma[key]

    def named(self, e: Expr, t: int, number: int) -> Expr:
        key = (e, t, number)
        if key not in self._qualified:
            self._qualified[key] = qualify(e, number, self.own[t])
        return self._qualified[key]


def _named_op(op: Assume | Assign | Havoc | AllAt, number: int, own: frozenset[str]) -> Op:
    return op if isinstance(op, AllAt) else qualify_op(op, number, own)


def _flat(dnf: Dnf) -> Expr:
    return balanced(disjoin, FALSE, [balanced(conjoin, TRUE, list(conjuncts)) for conjuncts in dnf])


def _reachable(sk: Skeleton) -> list[int]:
    """The nodes that paths from the start lead through, in a fixed order."""
    start = sk.node_of[sk.original.cfa.start]
    seen = {start: None}
    queue = [start]
    for node in queue:
        for i in sk.outgoing[node]:
            target = sk.node_of[sk.original.cfa.edges[i].target]
            if target not in seen:
                seen[target] = None
                queue.append(target)
    return list(seen)
