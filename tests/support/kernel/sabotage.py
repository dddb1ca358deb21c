"""Kernels that forget something, each with a program that is racy (or wrong) and a certificate that only they accept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from circ.kernel.outcome import Malformed, Outcome, Refused
from circ.kernel.pair_bodies import read_body
from circ.kernel.pairs import ClassStep, PairsCheck
from circ.kernel.prover import Obligation
from circ.kernel.threads import ThreadPlace
from circ.smt import Term
from circ.verdict import Assertions, Certificate, Question, RaceOn
from frontend.program import Edge, Program
from tests.support.build import program, thread
from tests.support.kernel.write import Formula, both, pairs

Rows = dict[tuple[int, ...], Formula]


class Sabotaged(PairsCheck):
    """The kernel without the obligations of these names."""

    without: frozenset[str] = frozenset()

    def induction(self) -> Iterator[Obligation]:
        return (o for o in super().induction() if o.name not in self.without)

    def exclusion(self, question: Question) -> Iterator[Obligation]:
        return (o for o in super().exclusion(question) if o.name not in self.without)


def lacking(*names: str) -> type[PairsCheck]:
    return type("Without" + "".join(names), (Sabotaged,), {"without": frozenset(names)})


class NoSelfPairs(PairsCheck):
    """Wrong counts: two threads of one template are forgotten."""

    def exists(self, *templates: int) -> bool:
        return len(set(templates[:2])) == len(templates[:2]) and super().exists(*templates)


class NoThirdOfATemplate(PairsCheck):
    """Wrong counts: any number of threads is taken for two."""

    def exists(self, *templates: int) -> bool:
        return all(templates.count(t) <= min(self.crowd[t], 2) for t in templates)


class NoThird(PairsCheck):
    def exists(self, *templates: int) -> bool:
        return len(templates) < 3 and super().exists(*templates)


class OneOrientation(PairsCheck):
    """Proves P_ab for a <= b only, and uses P_ba all the same."""

    def init(self, a: int, b: int) -> Iterator[Obligation]:
        return super().init(a, b) if a <= b else iter(())

    def s1(self, a: int, b: int) -> Iterator[Obligation]:
        return super().s1(a, b) if a <= b else iter(())

    def s2(self, a: int, b: int) -> Iterator[Obligation]:
        return super().s2(a, b) if a <= b else iter(())


class AnythingGoes(PairsCheck):
    """No side conditions: classes may mix atomic and other locations, weights may be anything at the start."""

    def flaw(self, question: Question) -> tuple[str, str, str] | None:
        return None


class NoHolders(PairsCheck):
    """Atomicity ignored: what holds beside a thread in its atomic section is never asked for, but used."""

    def third(self, name: str, one: ThreadPlace, two: ThreadPlace, three: ThreadPlace, step: ClassStep, h: tuple[Term, ...]) -> Iterator[Obligation]:
        entering = step.target in self.atomic[three.template]
        return iter(()) if entering else super().third(name, one, two, three, step, h)


class AsIfInside(PairsCheck):
    """Atomicity ignored: a step is not followed beside a thread that is about to enter, as if it were already inside."""

    def __init__(self, program: Program, body: object) -> None:
        super().__init__(program, body)  # type: ignore[arg-type]
        self.quiet = [[c for c in quiet if not any(s.target in self.atomic[t] for s in self.steps[t].get(c, ()))]
                      for t, quiet in enumerate(self.quiet)]


class NoCellsBesideAHolder(PairsCheck):
    def race_beside(self, one: ThreadPlace, two: ThreadPlace, overlap: Term, first: Edge, second: Edge) -> Iterator[Obligation]:
        return iter(())


class OthersWeighNothing(PairsCheck):
    """Wrong counts: what is counted is at most the weights of the threads in sight."""

    def __init__(self, program: Program, body: object) -> None:
        super().__init__(program, body)  # type: ignore[arg-type]
        self.total = 2


class EagerAllAt(PairsCheck):
    """Takes a class that lies partly outside an `AllAt` for one that lies outside."""

    def stopped(self, step: ClassStep, others: tuple[ThreadPlace, ...]) -> bool:
        return super().stopped(step, others) or (bool(others) and "AllAt" in repr(step.edge.op))


def run(kernel: type[PairsCheck], program: Program, certificate: Certificate) -> Outcome:
    """What such a kernel says; what cannot be read it refuses like the real one."""
    try:
        return kernel(program, read_body(program, certificate.body)).outcome(certificate.question)
    except Malformed as error:
        return Refused("format", "", str(error))


@dataclass(frozen=True)
class Case:
    """A kernel that accepts a certificate for a program whose answer is not "safe"."""

    name: str
    kernel: type[PairsCheck]
    program: Program
    certificate: Certificate
    numbers: tuple[int, ...]

    def sabotaged(self) -> Outcome:
        return run(self.kernel, self.program, self.certificate)


ON_X = RaceOn("x")


def case(name: str, kernel: type[PairsCheck], p: Program, rows: Rows, numbers: tuple[int, ...], question: Question = ON_X,
         **more: object) -> Case:
    return Case(name, kernel, p, pairs(p, question, rows, **more), numbers)  # type: ignore[arg-type]


def everything_true(p: Program) -> Rows:
    places = [(t, q) for t, template in enumerate(p.templates) for q in range(template.cfa.size)]
    two: Rows = {(*i, *j): True for i in places for j in places}
    three: Rows = {(*i, *j, *k): True for i in places for j in places for k in places}
    return {**two, **three}


LOOP = program("x:u2", thread("a", "0 0 x = 1"))
ONWARDS = program("x:u2", thread("a", "0 1 skip / 1 1 x = 1"))
THREE = program("x:u2 f:u1", thread("a", "0 1 [f == 1] / 1 1 x = 1", count=1), thread("b", "0 1 [f == 1] / 1 1 x = 1", count=1),
                thread("c", "0 1 f = 1", count=1))
HELD = program("x:u2 f:u1", thread("a", "0 1 [f == 1] / 1 1 x = 1", count=1), thread("b", "0 1 [f == 1] / 1 1 x = 1", count=1),
               thread("c", "0 1 skip / 1 2 f = 1", count=1, atomic={1}))
ROLES = program("x:u2 f:u1", thread("a", "0 1 [f == 1] / 1 1 x = 1 / 0 2 [f == 0]; f = 1"))


def cases() -> list[Case]:
    three_rows = both({(0, 0, 1, 0): "f == 0", (0, 0, 2, 0): "f == 0", (0, 0, 2, 1): "f == 1", (0, 1, 2, 1): "f == 1",
                       (1, 0, 2, 0): "f == 0", (1, 0, 2, 1): "f == 1", (1, 1, 2, 1): "f == 1"})
    held_rows = both({(0, 0, 1, 0): "f == 0", (0, 0, 1, 0, 2, 1): "f == 0", (0, 0, 2, 0): "f == 0", (1, 0, 2, 0): "f == 0",
                      (0, 0, 2, 1): "f == 0", (1, 0, 2, 1): "f == 0", (0, 0, 2, 2): "f == 1", (0, 1, 2, 2): "f == 1",
                      (1, 0, 2, 2): "f == 1", (1, 1, 2, 2): "f == 1"})
    roles_rows = both({(0, 0, 0, 0): "f == 0", (0, 0, 0, 2): "f == 1", (0, 1, 0, 2): "f == 1"})
    two = program("x:u2", thread("a", "0 1 skip / 1 1 x = 1", count=1), thread("b", "0 1 skip / 1 1 x = 1", count=1))
    asserting = program("x:u2", thread("a", "0 1 x = 1", errors={1}))
    guarding = program("x:u2", thread("a", "0 1 x = 1 / 1 0 x = 0", critical={1}))
    growing = program("x:u2", thread("a", "0 0 x = x + 1"), invariants=["x < 3"])
    alone = program("x:u2", thread("a", "0 1 x = x + 1", count=1, errors={1}))
    leaving = program("x:u2", thread("a", "0 1 skip / 1 2 skip / 2 2 x = 1", atomic={1}))
    near = program("x:u2", thread("a", "0 1 skip / 1 0 skip / 0 2 skip / 2 2 x = 1", atomic={1}))
    joining = program("x:u2", thread("m", "0 1 all w 0 2 / 1 1 x = 1", count=1),
                      thread("w", "0 1 skip / 1 2 skip / 2 2 [x == 0]", count=1))
    inert = program("x:u2 r:i4", thread("a", "0 1 skip / 1 1 x = 1"))
    crowded = program("x:u2 r:i4", thread("a", "0 1 r = r + 1 / 1 2 [r == 3] / 2 2 x = 1", count=3))
    nothing = both({(0, 0, 0, 0): "r == 0", (0, 0, 0, 1): "r == 0"})
    return [
        case("Init", lacking("Init"), LOOP, {}, (2,)),
        case("S1", lacking("S1"), ONWARDS, {(0, 0, 0, 0): True, (0, 0, 0, 1): True}, (2,)),
        case("S2", lacking("S2"), ONWARDS, {(0, 0, 0, 0): True, (0, 1, 0, 0): True}, (2,)),
        case("T1", lacking("T1"), THREE, three_rows, (1, 1, 1)),
        case("T2", lacking("T2"), HELD, held_rows, (1, 1, 1)),
        case("Race", lacking("Race"), LOOP, {(0, 0, 0, 0): True}, (2,)),
        case("Error", lacking("Error"), asserting, everything_true(asserting), (2,), Assertions()),
        case("Error of one thread", lacking("Error"), alone, {(0, 0): True, (0, 1): True}, (1,), Assertions()),
        case("S1 of one thread", lacking("S1"), alone, {(0, 0): True}, (1,), Assertions()),
        case("Init of one thread", lacking("Init"), alone, {}, (1,), Assertions()),
        case("Critical", lacking("Critical"), guarding, everything_true(guarding), (2,), Assertions()),
        case("Invariant", lacking("Invariant"), growing, everything_true(growing), (2,), Assertions()),
        case("no self-pairs", NoSelfPairs, ONWARDS, {}, (2,)),
        case("three are two", NoThirdOfATemplate, ROLES, roles_rows, (3,)),
        case("no third", NoThird, THREE, three_rows, (1, 1, 1)),
        case("one orientation", OneOrientation, two, {(0, 0, 1, 0): True}, (1, 1)),
        case("mixed classes", AnythingGoes, leaving, both({(0, 0, 0, 0): True, (0, 0, 0, 1): True, (0, 0, 0, 0, 0, 1): True}),
             (2,), classes=[[0, 1, 1]]),
        case("nobody asks about K", NoHolders, HELD, {w: f for w, f in held_rows.items() if len(w) == 4}, (1, 1, 1)),
        case("as if inside", AsIfInside, near, {(0, 0, 0, 0): True}, (2,)),
        case("eager join", EagerAllAt, joining, both({(0, 0, 1, 0): True}), (1, 1), classes=[[0, 1], [0, 0, 0]]),
        case("Count", lacking("Count"), inert, nothing, (2,), counting=[("r", [[0, 1]])]),
        case("CountInit", lacking("CountInit"), inert, nothing, (2,), counting=[("r - 1", [[0, 0]])]),
        case("others weigh nothing", OthersWeighNothing, crowded, both({(0, 0, 0, 0): True, (0, 0, 0, 1): True, (0, 1, 0, 1): True}),
             (3,), counting=[("r", [[0, 1, 1]])]),
        case("weights at the start", AnythingGoes, inert, nothing, (2,), counting=[("r", [[1, 1]])]),
    ]


def cells_beside_a_holder() -> tuple[Program, Certificate, Callable[[], Outcome]]:
    """i and j differ except inside c's atomic section, while a and b wait before a[i] and a[j]."""
    p = program("x[4] i:u2=1 j:u2=2", thread("a", "0 0 x[i] = 1", count=1), thread("b", "0 0 x[j] = 1", count=1),
                thread("c", "0 1 i = 2 / 1 0 i = 1", count=1, atomic={1}))
    one: Rows = {(0, 0, 1, 0): "i != j", (0, 0, 2, 0): [["i == 1", "j == 2"]], (1, 0, 2, 0): [["i == 1", "j == 2"]],
                 (0, 0, 2, 1): "j == 2", (1, 0, 2, 1): "j == 2", (0, 0, 1, 0, 2, 1): "j == 2"}
    c = pairs(p, RaceOn("x"), both(one))
    return p, c, lambda: NoCellsBesideAHolder(p, read_body(p, c.body)).outcome(RaceOn("x"))
