"""Cartesian abstraction with exception sets (Malkis, Podelski, Rybalchenko, SAS 2007): "Precise Thread-Modular Verification".

For each global store an abstract element is a product of sets of local stores. Without exceptions this is thread-modular
verification; states in the exception set E are kept out of the abstraction:

    lfp Y. alpha((init + post(gamma(Y) + E)) - E)

and gamma(Y) + E is an inductive invariant. E is tried in this order: empty; constructed for lock-protected sections
(section 5); found automatically, which the paper leaves open: take the states Bw of the invariant from which an error can
be reached. If one is initial, the program is wrong. Otherwise find the first stage of the fixpoint whose abstraction meets
Bw, a state b of Bw in it and a thread whose local store in b is new there; the concrete states of that stage with that
global store and that local store of the thread become exceptions. They never meet Bw: a state of Bw in them would have
its predecessor, in an earlier stage, in Bw. With E inside the old invariant the new one is inside it too, so this ends.
A larger E alone is *not* always more precise. E is not maximised: that affects precision only, and can be exponential.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TypeAlias

from circ.finite.exception_certificates import exception_certificate
from circ.finite.local_products import Packed, ProductLayout
from circ.finite.locks import HeldLock, lock_exceptions
from circ.finite.modular import Modular, one_class
from circ.finite.product import Product
from circ.finite.system import (
    FATAL,
    ErrorShape,
    FiniteSystem,
    GlobalStore,
    LocalStore,
    NotFiniteState,
    OutOfDomain,
    Stepper,
    build,
    evaluate,
)
from circ.finite.words import ALONE, in_words
from circ.verdict import Engine, Observer, Options, Question, Safe, Statistics, Unknown, Verdict
from frontend.program import Program
from frontend.records import dataclass

Exceptions: TypeAlias = dict[GlobalStore, list[Packed]]
ROUNDS = 200
CONCRETE = 50_000
"""The automatic search lists the states of the invariant; larger invariants end in unknown."""


def engine() -> Engine:
    return check


def check(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    """Safe, refuted or unknown; the first exception set that proves the question is used."""
    try:
        space = CartesianSpace(build(program, question), options)
        for name, exceptions in space.candidates():
            result = space.fixpoint(exceptions)
            observer("cartesian", {"exceptions": name, "products": sum(map(len, exceptions.values()))})
            if not space.is_wrong(result):
                return _safe(space, result, _why(question, name))
        return _search(space, options, observer)
    except (NotFiniteState, OutOfDomain) as error:
        return Unknown(str(error))


def _why(question: Question, exceptions: str) -> str:
    """In plain words what the proof with these exceptions says."""
    if exceptions == "empty":
        return in_words(question, ALONE)
    excluded = f"combinations of places that cannot occur, which were {exceptions}"
    return in_words(question, f"{ALONE}, and {exceptions if exceptions.startswith('at most') else excluded}")


def _safe(space: CartesianSpace, result: Fixpoint, why: str) -> Safe:
    statistics = Statistics(rounds=result.rounds, states=len(result.products))
    certificate = exception_certificate(space.system, space.shape, space.numbered, result.products, result.exceptions)
    return Safe(certificate, (why,), statistics=statistics)


def _search(space: CartesianSpace, options: Options, observer: Observer) -> Verdict:
    """The exception set found from spurious errors."""
    exceptions: Exceptions = {}
    for number in range(ROUNDS):
        options.check_time()
        result = space.fixpoint(exceptions, stages=True)
        if not space.is_wrong(result):
            return _safe(space, result, _why(space.system.question, "found" if exceptions else "empty"))
        backwards = space.backwards(result)
        if not backwards:
            return _safe(space, result, "no error state of the invariant has as many threads at atomic locations as there can be")
        if any(s in backwards for s in space.starts()):
            wrong = Product(space.system, options, space.stepper).search(Statistics(rounds=number, states=len(result.products)))
            assert wrong is not None, "an initial state from which an error can be reached"
            return wrong
        found = space.spurious(result, backwards)
        observer("cartesian", {"exceptions": "found", "products": len(found)})
        for g, p in found:
            exceptions.setdefault(g, []).append(p)
    return Unknown(f"no exception set was found in {ROUNDS} rounds", advice="try --engine refinement")


@dataclass(slots=True)
class Fixpoint:
    """`products[g]` is the abstract element at g; `stages[n]` the images (global store, product) that stage n abstracts."""

    products: dict[GlobalStore, Packed]
    exceptions: Exceptions
    rounds: int = 0
    stages: list[tuple[dict[GlobalStore, Packed], list[tuple[GlobalStore, Packed]]]] = field(default_factory=list)


class CartesianSpace:
    """The local stores of all threads, numbered, and the abstract post. Identical threads share a numbering.

    A thread-modular run gives the universe: it is an invariant, and every exception set stays inside it.
    """

    def __init__(self, system: FiniteSystem, options: Options) -> None:
        self.system = system
        self.options = options
        self.stepper = Stepper(system)
        self.owner = system.threads
        self.modular = Modular(system, one_class(system), options, self.stepper).run()
        self.numbered: list[list[LocalStore]] = []
        for table in self.modular.reached:
            self.numbered.append(sorted({local for locals_ in table.values() for local in locals_}))
        self._numbers = [{local: n for n, local in enumerate(row)} for row in self.numbered]
        self.shape = ProductLayout(len(self.owner), max(map(len, self.numbered), default=1))
        rows = [sum(1 << n for n, local in enumerate(row) if local[0] in group.atomic)
                for row, group in zip(self.numbered, system.groups, strict=True)]
        self._atomic = self.shape.pack([rows[i] for i in self.owner])
        self._steps: dict[tuple[int, GlobalStore, int], tuple[tuple[GlobalStore, int, bool], ...]] = {}
        self._marked: dict[tuple[GlobalStore, ErrorShape], Packed] = {}

    # ----------------------------------------------------------------------------------------------- exceptions
    def candidates(self) -> Iterator[tuple[str, Exceptions]]:
        """Exception sets that cost nothing to find: none, what the program gives (`circ_exception`), and one for each lock."""
        yield "empty", {}
        if self.system.program.exceptions:
            yield "given", self._given()
        for name, held in lock_exceptions(self.system):
            made: Exceptions = {}
            for g in dict.fromkeys(s[0] for table in self.modular.reached for s in table):
                inside, outside = self._sides(g, held)
                if not held.free(g):
                    made[g] = [p for t in range(len(self.owner))
                               if (p := self.shape.replaced(outside, t, self.shape.part(inside, t))) and self._full(p)]
            yield f"at most one thread holds '{name}'", made

    def _given(self) -> Exceptions:
        """The exceptions that the program states: a condition over the globals, and lines at which threads are."""
        made: Exceptions = {}
        names = [self.system.groups[i].template.name for i in self.owner]
        copies = [self.system.groups[i].copies[self.system.groups[i].threads.index(t)] for t, i in enumerate(self.owner)]
        for exempt in self.system.program.exceptions:
            lines = {(name, copy): line for name, copy, line in exempt.places}
            for g in dict.fromkeys(s[0] for table in self.modular.reached for s in table):
                if not evaluate(exempt.cond, self.stepper.reader(0, g, ()), self.stepper.math):
                    continue
                sets = [self._at_line(i, g, lines.get((names[t], copies[t]))) for t, i in enumerate(self.owner)]
                if all(sets):
                    made.setdefault(g, []).append(self.shape.pack(sets))
        return made

    def _at_line(self, i: int, g: GlobalStore, line: int | None) -> int:
        """The local stores of group `i` at g whose next step is written at that line; all of them if None."""
        group = self.system.groups[i]
        found = 0
        for local in self.modular.reached[i].get((g, self._no_counts()), ()):
            lines = {e.location.line for e in group.template.cfa.edges if e.source in group.same(local[0])}
            if line is None or line in lines:
                found |= 1 << self._numbers[i][local]
        return found

    def _sides(self, g: GlobalStore, held: HeldLock) -> tuple[Packed, Packed]:
        inside, outside = [], []
        for i in self.owner:
            sets = [0, 0]
            for local in self.modular.reached[i].get((g, self._no_counts()), ()):
                sets[local[0] in held.locations[i]] |= 1 << self._numbers[i][local]
            outside.append(sets[0])
            inside.append(sets[1])
        return self.shape.pack(inside), self.shape.pack(outside)

    def _no_counts(self) -> tuple[tuple[int, ...], ...]:
        return ((),) * len(self.system.groups)

    def _full(self, packed: Packed) -> bool:
        return all(self.shape.part(packed, t) for t in range(self.shape.threads))

    # ----------------------------------------------------------------------------------------------- the fixpoint
    def starts(self) -> Iterator[tuple[GlobalStore, tuple[LocalStore, ...]]]:
        stores, locals_ = self.stepper.starts()
        for g in stores:
            for choice in itertools.product(*(locals_[i] for i in self.owner)):
                yield g, choice

    def fixpoint(self, exceptions: Exceptions, stages: bool = False) -> Fixpoint:
        """The least abstract element; with `stages`, every stage is kept (and taken as a whole)."""
        result = Fixpoint({}, exceptions)
        stores, locals_ = self.stepper.starts()
        first = self.shape.pack([sum(1 << self._numbers[i][local] for local in locals_[i]) for i in self.owner])
        images = [(g, first) for g in stores]
        images += [image for g, products in exceptions.items() for p in products for image in self._post(g, p)]
        while images:
            self.options.check_time()
            result.rounds += 1
            if stages:
                result.stages.append((dict(result.products), images))
            dirty: dict[GlobalStore, None] = {}
            for g, p in images:
                new = self.shape.minus(p, exceptions.get(g, ()))
                old = result.products.get(g, 0)
                if new | old != old:
                    result.products[g] = old | new
                    dirty[g] = None
            images = [image for g in dirty for image in self._post(g, result.products[g])]
        return result

    def _post(self, g: GlobalStore, packed: Packed) -> Iterator[tuple[GlobalStore, Packed]]:
        """The images of a product: one for each thread and each global store it can lead to."""
        for t in range(self.shape.threads):
            for g2, part, inside in self._moves(self.owner[t], g, self.shape.part(packed, t)):
                after = self.shape.replaced(packed & ~self._atomic if inside else packed, t, part)
                if not inside or self._full(after):
                    yield g2, after

    def _moves(self, i: int, g: GlobalStore, part: int) -> tuple[tuple[GlobalStore, int, bool], ...]:
        """Where the local stores in `part` lead; those at atomic locations apart: then nobody else is at one."""
        key = (i, g, part)
        found = self._steps.get(key)
        if found is None:
            after: dict[tuple[GlobalStore, bool], int] = {}
            for n, local in enumerate(self.numbered[i]):
                if part >> n & 1:
                    inside = local[0] in self.system.groups[i].atomic
                    for _, _, g2, local2 in self.stepper.successors(i, g, local):
                        after[g2, inside] = after.get((g2, inside), 0) | 1 << self._numbers[i][local2]
            found = self._steps[key] = tuple((g2, part2, inside) for (g2, inside), part2 in after.items())
        return found

    # ----------------------------------------------------------------------------------------------- errors
    def is_wrong(self, result: Fixpoint) -> bool:
        """Whether the invariant has an error state."""
        return any(self._wrong(g, p) for g, p in self._all(result))

    def _all(self, result: Fixpoint) -> Iterator[tuple[GlobalStore, Packed]]:
        yield from result.products.items()
        for g, products in result.exceptions.items():
            for p in products:
                yield g, p

    def _wrong(self, g: GlobalStore, packed: Packed) -> bool:
        if self.stepper.bad(g) or packed & self._mask(g, FATAL):
            return True
        for a, b in self.system.conflicts:
            one, two = packed & self._mask(g, a), packed & self._mask(g, b)
            if self._two(one & ~self._atomic, two) or self._two(one, two & ~self._atomic):
                return True
        return False

    def _two(self, one: Packed, two: Packed) -> bool:
        """Whether two different threads can be chosen, one from each."""
        first, second = self.shape.only(one), self.shape.only(two)
        return bool(one and two) and (first is None or first != second)

    def _mask(self, g: GlobalStore, shape: ErrorShape) -> Packed:
        """The local stores with a mark, for all threads."""
        key = (g, shape)
        found = self._marked.get(key)
        if found is None:
            rows = [sum(1 << n for n, local in enumerate(row) if shape in self.stepper.marks(i, g, local))
                    for i, row in enumerate(self.numbered)]
            found = self._marked[key] = self.shape.pack([rows[i] for i in self.owner])
        return found

    # ----------------------------------------------------------------------------------------------- refinement
    def backwards(self, result: Fixpoint) -> set[tuple[GlobalStore, tuple[LocalStore, ...]]]:
        """The states of the invariant from which an error state can be reached (inside it: it is inductive)."""
        states = {s: None for g, p in self._all(result) for s in self._states(g, p)}
        if len(states) > CONCRETE:
            raise OutOfDomain(f"more than {CONCRETE} states in the invariant")
        before: dict[tuple[GlobalStore, tuple[LocalStore, ...]], list[tuple[GlobalStore, tuple[LocalStore, ...]]]] = {}
        for g, locals_ in states:
            for t, i in enumerate(self.owner):
                for _, _, g2, local2 in self.stepper.successors(i, g, locals_[t]):
                    before.setdefault((g2, (*locals_[:t], local2, *locals_[t + 1:])), []).append((g, locals_))
        todo = [s for s in states if self._wrong_state(*s)]
        found = set(todo)
        while todo:
            for s in before.get(todo.pop(), ()):
                if s not in found:
                    found.add(s)
                    todo.append(s)
        return found

    def _states(self, g: GlobalStore, packed: Packed) -> Iterator[tuple[GlobalStore, tuple[LocalStore, ...]]]:
        columns = [[self.numbered[i][n] for n in range(self.shape.width) if self.shape.part(packed, t) >> n & 1]
                   for t, i in enumerate(self.owner)]
        size = 1
        for c in columns:
            size *= len(c)
        if size > CONCRETE:
            raise OutOfDomain(f"more than {CONCRETE} states in the invariant")
        for locals_ in itertools.product(*columns):
            inside = sum(local[0] in self.system.groups[i].atomic for local, i in zip(locals_, self.owner, strict=True))
            if not self.system.has_atomic or inside == g[-1]:
                yield g, locals_

    def _wrong_state(self, g: GlobalStore, locals_: Sequence[LocalStore]) -> bool:
        bits = [1 << self._numbers[i][local] for local, i in zip(locals_, self.owner, strict=True)]
        return self._wrong(g, self.shape.pack(bits))

    def spurious(self, result: Fixpoint,
                 backwards: set[tuple[GlobalStore, tuple[LocalStore, ...]]]) -> list[tuple[GlobalStore, Packed]]:
        """The new exceptions: concrete states of the first stage whose abstraction meets `backwards`."""
        for number, (old, images) in enumerate(result.stages):
            new = result.stages[number + 1][0] if number + 1 < len(result.stages) else result.products
            for g, locals_ in sorted(backwards):
                numbers = [self._numbers[i][locals_[t]] for t, i in enumerate(self.owner)]
                if not all(self.shape.part(new.get(g, 0), t) >> n & 1 for t, n in enumerate(numbers)):
                    continue
                for t, i in enumerate(self.owner):
                    bit = 1 << self._numbers[i][locals_[t]]
                    if self.shape.part(old.get(g, 0), t) & bit:
                        continue
                    hits = [p for g2, p in images if g2 == g and self.shape.part(p, t) & bit]
                    return [(g, self.shape.replaced(p, t, bit)) for p in dict.fromkeys(hits)]
        raise AssertionError("the invariant meets the error, so some stage does")


