"""From a closed set of pairs to the certificate that the kernel checks.

`P` at two anchors is read off the pairs: OR over classes A of F(q1, A)(g, l1) AND gamma_A[q2](g, l2). At a node in between
it is the weakest precondition of the rest of its segment; `K` comes from the pairs with a holder in the same way. Rows are
per node of the skeletons, so locations that the analysis could not tell apart share one formula.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from circ.abstraction.predicates import Abstraction, bits, canonical
from circ.abstraction.proof_rows import DisjunctionTable, FormulaTable, ProofPlace, representatives, written_rows
from circ.abstraction.skeleton import Skeleton
from circ.abstraction.trace_formulas import qualify
from circ.inference.acfa import collapse
from circ.inference.arg import AbstractSystem
from circ.inference.miners import atoms
from circ.inference.omega import Pairs, may_exist
from circ.inference.results.minterms import cover
from circ.inference.results.preconditions import Dnf, Preconditions
from circ.verdict import Certificate, ProofKind, Question
from circ.views.waits import awaited
from frontend.program import (
    FALSE,
    TRUE,
    Element,
    Expr,
    Lvalue,
    Program,
    Read,
    Var,
    substitute,
)
from frontend.program.display import formula_words
from frontend.program.fold import fold
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Proof:
    """A certificate, and the conditions on variables that its formulas are made of, in C."""

    certificate: Certificate
    predicates: tuple[str, ...]


def certificate(program: Program, question: Question, system: AbstractSystem, pairs: Pairs) -> Proof:
    """The pair certificate of a closed set of pairs."""
    writer = AbstractPairsWriter(program, system, pairs)
    return Proof(writer.write(question), writer.predicates())


def single_certificate(program: Program, question: Question, system: AbstractSystem) -> Proof:
    """The certificate of a program that has one thread in all: a formula for each node."""
    pairs = Pairs(tuple(collapse(arg, t)[0] for t, arg in enumerate(system.args)), ())
    writer = AbstractPairsWriter(program, system, pairs)
    return Proof(writer.write_single(question), writer.predicates())


# --------------------------------------------------------------------------------------------------- the writer
class AbstractPairsWriter:
    def __init__(self, program: Program, system: AbstractSystem, pairs: Pairs) -> None:
        self.program, self.system, self.pairs = program, system, pairs
        self.own = [frozenset(v.name for v in sk.original.locals) for sk in system.skeletons]
        self.formulas = FormulaTable()
        self.awaited = awaited(program)
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
        self._pair: dict[tuple[ProofPlace, ProofPlace], Dnf] = {}
        self._held: dict[tuple[ProofPlace, ProofPlace, ProofPlace], Dnf] = {}
        self.preconditions = Preconditions(system.skeletons, self.own)

    def write_single(self, question: Question) -> Certificate:
        (t,) = (i for i, sk in enumerate(self.system.skeletons) if sk.original.count == 1)
        rows: dict[tuple[ProofPlace, ...], DisjunctionTable] = {((t, node),): self.table(dnf) for node in self.nodes[t]
                                               if (dnf := self.single((t, node)))}
        class_of = {(u, node): i for u, nodes in enumerate(self.nodes) for i, node in enumerate(nodes)}
        body = {"classes": self.classes(class_of), "formulas": self.formulas.written(), "pairs": [], "holders": [],
                "singles": written_rows(rows, class_of)}
        return Certificate(self.program.fingerprint(), question, ProofKind.PAIRS, body)

    def single(self, spot: ProofPlace) -> Dnf:
        """What holds when the only thread is at a node."""
        t, node = spot
        sk = self.system.skeletons[t]
        if node not in sk.anchor_of:
            return self.preconditions.before(spot, 1, self.single)
        anchor = sk.anchor_of[node]
        ab = self.system.abstractions[t]
        states = frozenset(ab.join(g, l) for group in self.pairs.acfas[t].states for q, g, l in group if q == anchor)
        formula = self.unary(t, anchor, states)
        return () if formula == FALSE else ((self.named(formula, t, 1),),)

    def classes(self, class_of: dict[ProofPlace, int]) -> list[list[int]]:
        """The class of each location: its node's; locations that nothing reaches share classes without rows."""
        result = []
        for t, sk in enumerate(self.system.skeletons):
            number: dict[object, int] = {node: class_of[t, node] for node in self.nodes[t]}
            free = 1 + max(number.values())
            row = []
            for q in range(sk.original.cfa.size):
                node = sk.node_of[q]
                unreached = ("unreached", *(q in places for places in self.guarded(t)))
                if node in number:
                    row.append(number[node])
                else:
                    free += unreached not in number
                    row.append(number.setdefault(unreached, free - 1))
            result.append(row)
        return result

    def write(self, question: Question) -> Certificate:
        """A row for every two nodes, and for every two beside a third in an atomic section; nodes alike share a class."""
        spots = [(t, node) for t, nodes in enumerate(self.nodes) for node in nodes]
        pairs: dict[tuple[ProofPlace, ...], DisjunctionTable] = {}
        for a in spots:
            self.system.options.check_time()
            for b in spots:
                if may_exist(self.system, a[0], b[0]) and (dnf := self.pair(a, b)):
                    pairs[a, b] = self.table(dnf)
        held: dict[tuple[ProofPlace, ...], DisjunctionTable] = {}
        calm = [s for s in spots if not self.is_atomic(s)]
        for c in (s for s in spots if self.is_atomic(s)):
            self.system.options.check_time()
            for a in calm:
                for b in calm:
                    if may_exist(self.system, a[0], b[0], c[0]) and (dnf := self.holding(a, b, c)):
                        held[a, b, c] = self.table(dnf)
        class_of = self.joined(spots, pairs, held)
        body = {"classes": self.classes(class_of), "formulas": self.formulas.written(), "pairs": written_rows(pairs, class_of),
                "holders": written_rows(held, class_of), "singles": []}
        return Certificate(self.program.fingerprint(), question, ProofKind.PAIRS, body)

    def joined(self, spots: Sequence[ProofPlace], *rows: dict[tuple[ProofPlace, ...], DisjunctionTable]) -> dict[ProofPlace, int]:
        """The class of each node, numbered for each template: nodes of which the rows say the same share one."""
        labels = {}
        for t, node in spots:
            members = self.system.skeletons[t].members[node]
            labels[t, node] = tuple(any(q in places for q in members) for places in self.guarded(t))
        said = ((where, tuple(map(tuple, table))) for part in rows for where, table in part.items())
        first = representatives(spots, labels, said)
        numbers: list[dict[int, int]] = [{} for _ in self.nodes]
        return {(t, node): numbers[t].setdefault(chosen, len(numbers[t])) for (t, node), chosen in first.items()}

    def guarded(self, t: int) -> tuple[frozenset[int], ...]:
        """The sets of locations of a template that the kernel tells apart: atomic ones, and those that others wait for."""
        original = self.system.skeletons[t].original
        return (original.cfa.atomic, *self.awaited[original.name])

    def table(self, dnf: Dnf) -> DisjunctionTable:
        """The rows of a formula by their numbers in the table of texts."""
        return [[self.formulas.number(e) for e in conjuncts if e is not TRUE and e != TRUE] for conjuncts in dnf]

    def predicates(self) -> tuple[str, ...]:
        """The conditions in the formulas, each once and not its negation, with the names a user knows."""
        shown: dict[str, str] = {}
        for sk in self.system.skeletons:
            for v in sk.original.locals:
                shown.update({f"{v.name}@{slot}": v.shown or v.name for slot in (1, 2, 3)})

        def plain(v: Lvalue) -> Expr | None:
            if isinstance(v, Var):
                return Read(Var(shown.get(v.name, v.name), v.type))
            return Read(Element(shown.get(v.array, v.array), v.index, v.type))

        found: dict[str, None] = {}
        for e in self.formulas.texts:
            for atom in atoms(e):
                c = canonical(fold(atom))
                if c is not None:
                    found[formula_words(self.program, substitute(c, plain))] = None
        return tuple(found)

    def is_atomic(self, spot: ProofPlace) -> bool:
        sk = self.system.skeletons[spot[0]]
        return sk.members[spot[1]][0] in sk.original.cfa.atomic

    # ----------------------------------------------------------------------------------------------- P
    def pair(self, a: ProofPlace, b: ProofPlace) -> Dnf:
        """P at two nodes: from the pairs at anchors, by weakest precondition in between."""
        if (a, b) not in self._pair:
            if a[1] not in self.system.skeletons[a[0]].anchor_of:
                self._pair[a, b] = self.preconditions.before(a, 1, lambda goal: self.pair(goal, b))
            elif b[1] not in self.system.skeletons[b[0]].anchor_of:
                self._pair[a, b] = self.preconditions.before(b, 2, lambda goal: self.pair(a, goal))
            else:
                self._pair[a, b] = self.at_anchors(a, b)
        return self._pair[a, b]

    def at_anchors(self, a: ProofPlace, b: ProofPlace) -> Dnf:
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
    def holding(self, a: ProofPlace, b: ProofPlace, c: ProofPlace) -> Dnf:
        """K at two nodes while a third thread is at the atomic node c."""
        key = (a, b, c)
        if key not in self._held:
            if a[1] not in self.system.skeletons[a[0]].anchor_of:
                self._held[key] = self.preconditions.before(a, 1, lambda goal: self.holding(goal, b, c))
            elif b[1] not in self.system.skeletons[b[0]].anchor_of:
                self._held[key] = self.preconditions.before(b, 2, lambda goal: self.holding(a, goal, c))
            elif c[1] not in self.system.skeletons[c[0]].anchor_of:
                onward = lambda goal: self.holding(a, b, goal) if self.is_atomic(goal) else self.pair(a, b)  # noqa: E731
                self._held[key] = self.preconditions.before(c, 3, onward)
            else:
                self._held[key] = self.held_at_anchors(a, b, c)
        return self._held[key]

    def held_at_anchors(self, a: ProofPlace, b: ProofPlace, c: ProofPlace) -> Dnf:
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
