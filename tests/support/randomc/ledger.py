"""The soundness ledger as mutants: the CIRC paper taken at its word, one row at a time, as patches of our own engine.

A mutant is tried in two settings. *Literal*: the engine says `safe` as soon as the paper's loop ends (Theorem 1), with
nothing behind it; there the oracle must catch it, and the same engine without the patch must not be caught on the same
program. *Guarded*: with the pair closure and the kernel behind it, as in the product; there nothing wrong may come out.
Rows that only cost precision or termination are caught by leaving open what the real engine decides.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from unittest.mock import patch

from circ.abstraction import counters, seen_templates, skeleton
from circ.abstraction.abstract_errors import AccessPair, Errors, ThreadState
from circ.abstraction.counters import Context, ContextClass
from circ.inference import acfa, arg, omega, simulation
from circ.inference import context_inference as inference
from circ.inference import refinement as refine
from circ.inference.acfa import Acfa
from circ.inference.arg import AbstractError, AbstractSystem, Arg, ArgState, ContextStep, MainStep
from circ.inference.context_inference import ContextInference
from circ.inference.inquiry import Inquiry
from circ.inference.trace import Mu
from circ.kernel.outcome import Refused
from circ.run.check import judge
from circ.smt import SatResult, Solver, Term
from circ.verdict import Certificate, Options, OutOfTime, RaceOn, Refuted, Safe, Technique, Unknown, Verdict, silent
from frontend.program import Assume, Program, primitive
from tests.support.build import program, thread
from tests.support.randomc.arbiter import judged_by_oracle

X = RaceOn("x")


class Harm(enum.Enum):
    """What a literal reading does: it answers `safe` for a racy program, or it leaves open what could be decided."""

    WRONG = "wrong"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Mutant:
    """`patches`, while entered, make the engine wrong; `program` is where it shows."""

    name: str
    row: str
    program: Program
    patches: Callable[[ExitStack], None]
    harm: Harm = Harm.WRONG
    unbounded: bool = True
    options: Options = field(default_factory=Options)
    k: int | None = None


@dataclass(frozen=True, slots=True)
class Catch:
    """What happened to a mutant: the words of the honest and of the literal engine, and what stops the guarded one."""

    honest: str
    literal: str
    racy: bool | None
    guarded: str

    def caught(self, harm: Harm) -> bool:
        if self.guarded.startswith("WRONG"):
            return False
        match harm:
            case Harm.WRONG:
                return bool(self.racy) and self.honest != "safe" and self.literal == "safe"
            case Harm.UNDECIDED:
                return self.honest == ("race" if self.racy else "safe") and self.literal == "unknown"


def attempt(mutant: Mutant, seconds: float = 20.0) -> Catch:
    """Runs the honest engine, the literal one, and the mutated engine with pair closure and kernel behind it."""
    racy = judged_by_oracle(mutant.program, X)
    honest = _said(mutant, literal=mutant.harm is Harm.WRONG and mutant.unbounded, mutated=False, seconds=seconds)
    wrong = _said(mutant, literal=True, mutated=True, seconds=seconds)
    return Catch(_word(honest), _word(wrong), racy, _guarded(mutant, racy, seconds))


def _said(mutant: Mutant, literal: bool, mutated: bool, seconds: float) -> Verdict:
    with ExitStack() as stack:
        if literal:
            stack.enter_context(patch.object(inference, "prove", believe))
        if mutated:
            mutant.patches(stack)
        engine = _Engine(mutant.unbounded, mutant.k if mutated else None)
        # What inference does not decide, values may: here it is inference alone that is judged.
        alone = {**mutant.options.switches, Technique.VALUES: False}
        return engine(mutant.program, X, replace(mutant.options, deadline=time.monotonic() + seconds, switches=alone), silent)


def _guarded(mutant: Mutant, racy: bool | None, seconds: float) -> str:
    """Which part of the product stands in the mutant's way; begins with WRONG if none does."""
    verdict = _said(mutant, literal=False, mutated=True, seconds=seconds)
    match verdict:
        case Unknown(reason=reason):
            return f"undecided: {reason}"
        case Refuted(trace=evidence):
            word = "race"
        case Safe(certificate=evidence):
            word = "safe"
    outcome = judge(mutant.program, X, evidence)
    if isinstance(outcome, Refused):
        return f"kernel refuses {word}: {outcome.obligation}"
    return f"{word}, accepted" if racy is None or (word == "race") == racy else f"WRONG {word}"


def _word(verdict: Verdict) -> str:
    match verdict:
        case Safe():
            return "safe"
        case Refuted():
            return "race"
        case Unknown():
            return "unknown"


def believe(run: Inquiry, system: AbstractSystem, *_: object) -> Verdict:
    """Theorem 1: the loop has ended, so the program is safe."""
    return Safe(Certificate(run.program.fingerprint(), run.question, "pairs", {}))


class _Engine(ContextInference):
    """Context inference that may begin with a k of its own."""

    def __init__(self, unbounded: bool, k: int | None) -> None:
        super().__init__("mutant", unbounded)
        self.first_k = k

    def loop(self, run: Inquiry) -> Verdict:
        if self.first_k is not None:
            run.k = self.first_k
        return super().loop(run)


# --------------------------------------------------------------------------------------------------- literal readings
def psi_first(system: AbstractSystem, main: int, acfas: Sequence[Acfa], context: Context, k: int) -> None:
    """Algorithm 1 as it stands: the post-state is cut down by psi.Gamma' before it is connected."""
    sk, ab, graph = system.skeletons[main], system.abstractions[main], system.args[main]
    endless = {key for key, n in context if n > k and system.endless(key[0])}
    seen: arg._Seen = {}
    queue: list[ArgState] = []

    def put(node: ArgState, came: tuple[ArgState, MainStep | ContextStep] | None) -> None:
        if node not in seen:
            system.spend()
            seen[node] = came
            arg._raise_if_error(system, acfas, main, node, seen, context)
            queue.append(node)

    for g, l in ab.initial():
        graph.start((sk.start, g, l))
        put(((sk.start, g, l), context), None)
    for node in queue:
        (q, g, l), gamma = node
        holders = [key for key, _ in gamma if acfas[key[0]].atomic[key[1]]]
        if not holders:
            for segment in sk.segments[q]:
                for g2, l2 in ab.post(segment, g, l):
                    after = (segment.target, g2, l2)
                    if arg._plausible(system, acfas, main, (after, gamma)):
                        graph.connect((q, g, l), segment, after)
                        put((after, gamma), (node, MainStep(segment)))
        if sk.atomic[q] or len(holders) > 1:
            continue
        for key in holders or [key for key, _ in gamma]:
            for step in acfas[key[0]].moves[key[1]].get(g, ()):
                for gamma2 in counters.move(gamma, key, (key[0], step[2]), k, key in endless):
                    for l2 in ab.disturbed(q, step[0], l, step[1]):
                        after = (q, step[0], l2)
                        if arg._plausible(system, acfas, main, (after, gamma2)):
                            graph.union((q, g, l), after)
                            put((after, gamma2), (node, ContextStep(key, g, step)))


def always_omega(context: Context, source: ContextClass, target: ContextClass, k: int, endless: bool) -> tuple[Context, ...]:
    """omega - 1 = omega, everywhere."""
    del endless
    return tuple(counters.enter(c, target, k) for c in counters.leave(context, source, k, endless=True))


def havoc_sets_only(graph: Arg, template: int) -> tuple[Acfa, Mu]:
    """Edges say which globals are written; what they were before is forgotten, what they are after is the label's."""
    quotient, mu = acfa.collapse(graph, template)
    ab = graph.abstraction
    moves: list[dict[int, tuple[acfa.ContextMove, ...]]] = []
    for c in range(quotient.size):
        row: dict[int, dict[acfa.ContextMove, None]] = {}
        for _, writes, target, demands in (m for ms in quotient.moves[c].values() for m in ms):
            fixed = sum(1 << i for i in range(ab.width) if not ab.used[i] & writes)
            for g in sorted(quotient.label[c]):
                for after in sorted(quotient.label[target]):
                    if g & fixed == after & fixed:
                        row.setdefault(g, {})[after, writes, target, demands] = None
        moves.append({g: tuple(ms) for g, ms in row.items()})
    return replace(quotient, moves=tuple(moves)), mu


def hide_tests(*arguments: object, **more: object) -> skeleton.Skeleton:
    """Every step with an empty havoc set is silent, unless it enters or leaves an atomic section."""
    sk = skeleton.skeleton(*arguments, **more)  # type: ignore[arg-type]
    segments = tuple(
        tuple(replace(s, visible=bool(s.writes) or sk.atomic[s.source] != sk.atomic[s.target]) for s in row) for row in sk.segments
    )
    return replace(sk, segments=segments)


def labels_only(a: Acfa, graph: Arg, c: int, states: tuple[ThreadState, ...]) -> bool:
    """CheckSim as in section 3.4: the labels (that of the empty ACFA is true), nothing about atomic or what is next."""
    del graph
    return not a.states[c] or all(s[1] in a.label[c] for s in states)


def blind_to_atomic(self: Arg, states: Sequence[ThreadState]) -> object:
    """Collapse as in section 5: the global predicates are observed, being atomic is not."""
    whole = _colour(self, states)
    assert isinstance(whole, tuple) and isinstance(whole[0], bool)
    return whole[1:]


_colour = Arg.colour


def by_several(a: Acfa, graph: Arg, relation: Mapping[ThreadState, set[int]], c: int,
               edge: tuple[ThreadState, skeleton.Segment, ThreadState]) -> bool:
    """A step may be matched by any number of steps, or by none."""
    source, _, target = edge
    goals = relation[graph.find(target)]
    seen, queue = {(c, source[1])}, [(c, source[1])]
    for at, g in queue:
        if at in goals and g == target[1]:
            return True
        for after, _, goal, _ in a.moves[at].get(g, ()):
            if (goal, after) not in seen:
                seen.add((goal, after))
                queue.append((goal, after))
    return False


def replaced_context(system: AbstractSystem, k: int, unbounded: bool, mus: list[Mu], crews: tuple[tuple[int, ...], ...] = ()) -> None:
    """Lines 5-8 of Algorithm 5: the new graph takes the place of the old one.

    Nothing but growth ends that loop, so it is given up as soon as the new graph lacks something of the old one.
    """
    while True:
        collapsed = [acfa.collapse(graph, t) for t, graph in enumerate(system.args)]
        quotients = [a for a, _ in collapsed]
        mus[:] = [mu for _, mu in collapsed]
        old = system.args
        system.args = tuple(Arg(graph.skeleton, graph.abstraction) for graph in old)
        try:
            for main in range(len(quotients)):
                for context in inference.contexts(system, quotients, main, k, unbounded):
                    inference.reach_and_build(system, main, quotients, context, k)
        except AbstractError:
            system.args = old
            raise
        if any(not set(before.nodes()) <= set(after.nodes()) for before, after in zip(old, system.args, strict=True)):
            raise OutOfTime("the context shrinks: nothing says that this ends")
        if all(simulation.simulates(a, graph) for a, graph in zip(quotients, system.args, strict=True)):
            return


def one_main_role(system: AbstractSystem, k: int, unbounded: bool, mus: list[Mu], crews: tuple[tuple[int, ...], ...] = ()) -> None:
    """The errors are looked for with the first template in the main role only."""
    errors = system.errors
    while True:
        collapsed = [acfa.collapse(graph, t) for t, graph in enumerate(system.args)]
        quotients = [a for a, _ in collapsed]
        mus[:] = [mu for _, mu in collapsed]
        for main in range(len(quotients)):
            system.errors = errors if main == 0 else _Blind(errors)  # type: ignore[assignment]
            for context in inference.contexts(system, quotients, main, k, unbounded):
                inference.reach_and_build(system, main, quotients, context, k)
        system.errors = errors
        if all(simulation.simulates(a, graph) for a, graph in zip(quotients, system.args, strict=True)):
            return


class _Blind:
    """Sees no errors."""

    def __init__(self, errors: Errors) -> None:
        self.joint, self.fit = errors.joint, errors.fit

    def alone(self, t: int, state: ThreadState) -> bool:
        return False

    def clashes(self, t: int, first: ThreadState, s: int, second: ThreadState) -> None:
        return None


def context_only_writes(self: Errors, t: int, first: ThreadState, s: int, second: ThreadState) -> tuple[AccessPair, ...] | None:
    """Read.i.x is empty for an abstract thread."""
    found = _clashes(self, t, first, s, second)
    edges = self.skeletons[s].original.cfa.edges
    written = tuple(c for c in found or () if edges[c[1][0]].accesses[c[1][1]].write)
    return written or None


_clashes = Errors.clashes


def glue_waiting(self: skeleton._Builder) -> set[int]:
    """Compaction that glues an assume behind the access before it."""
    edges = self.cfa.edges
    waiting = {n for n, out in self.out.items() if n != self.node_of[self.cfa.start]
               and out and all(isinstance(p, Assume) for i in out for p in primitive(edges[i].op))}
    return _first_anchors(self) - waiting


def glue_sections(self: skeleton._Builder) -> set[int]:
    """Compaction that glues an atomic section to the one before it."""
    edges, atomic = self.cfa.edges, self.cfa.atomic
    between = {n for n, out in self.out.items() if n != self.node_of[self.cfa.start]
               and out and all(edges[i].target in atomic and edges[i].source not in atomic for i in out)}
    return _first_anchors(self) - between


_first_anchors = skeleton._Builder._first_anchors


def gives_up(self: Solver, *assumptions: Term) -> SatResult:
    """A solver that gives up whenever something could be satisfiable."""
    answer = _check(self, *assumptions)
    return SatResult.UNKNOWN if answer is SatResult.SAT else answer


def unknown_is_unsat(self: Solver, *assumptions: Term) -> SatResult:
    """The same, read by somebody who takes `unknown` for `unsat`."""
    answer = gives_up(self, *assumptions)
    return SatResult.UNSAT if answer is SatResult.UNKNOWN else answer


_check = Solver.check


def stop_quietly(system: AbstractSystem, main: int, acfas: Sequence[Acfa], context: Context, k: int) -> None:
    """A state limit that ends the search as if all had been seen."""
    try:
        arg.reach_and_build(system, main, acfas, context, k)
    except OutOfTime:
        return


def nothing_new_is_safe(self: ContextInference, run: Inquiry) -> Verdict:
    """An error that refinement can neither confirm nor exclude is dismissed."""
    verdict = _loop(self, run)
    if isinstance(verdict, Unknown) and "nothing new" in verdict.reason:
        return Safe(Certificate(run.program.fingerprint(), run.question, "pairs", {}))
    return verdict


_loop = ContextInference.loop


def blind_closure(self: omega._PairClosure, pair: omega.Pair) -> None:
    """Theorem 2: the unbounded setting is explored, but races are not looked for again."""


def setting(*places: tuple[object, str, object]) -> Callable[[ExitStack], None]:
    """Sets attributes for the time of the experiment."""
    def enter(stack: ExitStack) -> None:
        for owner, name, value in places:
            stack.enter_context(patch.object(owner, name, value))

    return enter


# --------------------------------------------------------------------------------------------------- where it shows
RELAY = program("x:u2 f:u1", thread("a", "0 1 [f == 1] / 1 1 x = 1 / 0 2 [f == 0]; f = 1 / 2 2 skip"))
"""Safe with two threads, racy with three: one opens the door for the others."""

SECTION = program("x:u2 f:u1", thread("a", "0 1 [f == 1] / 1 1 x = 1", count=1),
                  thread("b", "0 1 skip / 1 2 f = 1 / 2 2 x = 1", atomic={1}))
MEETING = program("x:u2 n:u2", thread("m", "0 1 [n == 2] / 1 2 all w 0 2 / 2 3 skip / 3 3 x = 1", count=1, atomic={2}),
                  thread("w", "0 1 [n < 2]; n = n + 1 / 1 2 [n == 2] / 2 2 skip"), thread("z", "0 0 x = 1", count=1))
"""Two threads meet at a location, and all have to leave it before m goes on."""

FIGURE_1 = program("x:u8 s:u8", thread("a", """0 1 skip / 1 2 old = s / 2 3 [s == 0] / 3 4 s = 1 / 2 4 [s != 0]
    4 5 [old == 0] / 4 0 [old != 0] / 5 6 x = x + 1 / 6 0 s = 0""", "old:u8=*", atomic={1, 2, 3}))
EARLY_TEST = program("x:u2 s:u1 t:u1", thread("a", "0 1 s = 1 / 1 2 [t == 0] / 2 3 [t == 1] / 3 3 x = 1", count=1),
                     thread("b", "0 1 [s == 0] / 1 2 t = 1 / 2 2 skip", count=1), thread("c", "0 0 x = 1", count=1))
"""A race only if b passes its test before a changes what it tests."""

PLAIN = program("x:u2", thread("a", "0 1 skip / 1 0 x = 1"))
STUCK = program("x:u2 f:u1", thread("t", "0 1 f = 1 / 1 1 [f == 0] / 0 2 f = 1 / 2 2 [f == 0]", count=1, atomic={1}),
                thread("w", "0 1 [f == 1] / 1 1 x = 1"))
"""One thread comes to stand at an atomic location or at another, with the same globals."""

SHRINKING = program("x:u1 s:u2", thread("a", "0 1 [s == 0]; s = 1 / 1 0 s = s + 1 / 1 1 x = 1"))
TICKET = program("x:u8 next:u8 served:u8", thread("a", """0 1 skip / 1 2 mine = next / 2 3 next = (next + 1) % 2
    3 4 [served == mine] / 4 5 x = 1 / 5 6 served = (served + 1) % 2""", "mine:u8=*", count=2, atomic={1, 2}))
READER = program("x:u2", thread("w", "0 0 x = 1", count=1), thread("r", "0 0 l = x", "l:u2", count=1))
HANDSHAKE = program("x:u2 f:u1 g:u1", thread("a", "0 1 f = 1 / 1 2 [g == 1] / 2 2 x = 1", count=1),
                    thread("b", "0 1 [f == 1] / 1 2 g = 1 / 2 2 x = 1", count=1))
BLINK = program("x:u2 f:u1", thread("a", "0 1 skip / 1 2 f = 1 / 2 3 skip / 3 4 f = 0 / 4 4 x = 1", count=1, atomic={1, 3}),
                thread("b", "0 1 [f == 1] / 1 1 x = 1", count=1))
"""f is 1 only between two atomic sections."""

UNGLUED = Options(switches={Technique.COMPACT: False})
"""Compaction makes an atomic section one step, which hides what a reading gets wrong about atomic locations."""


def _no_predicates(*_: object) -> list[object]:
    return []


MUTANTS: tuple[Mutant, ...] = (
    Mutant("psi before the edge", "post-states are cut down by the labels of occupied locations", RELAY,
           setting((inference, "reach_and_build", psi_first))),
    Mutant("k = 0", "k starts at 0, and omega - 1 = omega", SECTION, setting((arg, "move", always_omega)), k=0, options=UNGLUED),
    Mutant("omega - 1 = omega", "omega - 1 = omega everywhere", MEETING, setting((arg, "move", always_omega))),
    Mutant("no races beyond k", "the omega-check never looks at races again", RELAY,
           setting((omega._PairClosure, "reject_errors", blind_closure)), unbounded=False),
    Mutant("havoc sets only", "ACFA edges carry havoc sets only", FIGURE_1,
           setting((inference, "collapse", havoc_sets_only)), Harm.UNDECIDED),
    Mutant("tests are hidden", "weak bisimulation hides every edge with an empty havoc set", EARLY_TEST,
           setting((seen_templates, "skeleton", hide_tests)), Harm.UNDECIDED),
    Mutant("atomic unobserved", "CheckSim and Collapse say nothing of atomic", STUCK,
           setting((Arg, "colour", blind_to_atomic), (simulation, "_label_fits", labels_only))),
    Mutant("several for one", "CheckSim matches one step by several, or by none", PLAIN,
           setting((simulation, "_matched", by_several), (simulation, "_label_fits", labels_only))),
    Mutant("context replaced", "the context is replaced in each inner round", SHRINKING,
           setting((inference, "infer_context", replaced_context)), Harm.UNDECIDED),
    Mutant("proof atoms only", "predicates come from the proof alone", TICKET,
           setting((refine, "MINERS", refine.MINERS[:1])), Harm.UNDECIDED),
    Mutant("one main role", "reads by context threads are ignored, one template is the main one", READER,
           setting((inference, "infer_context", one_main_role), (Errors, "clashes", context_only_writes))),
    Mutant("wait glued to access", "compaction glues a blocking assume behind an access", HANDSHAKE,
           setting((skeleton._Builder, "_first_anchors", glue_waiting))),
    Mutant("sections glued", "compaction glues two atomic sections", BLINK,
           setting((skeleton._Builder, "_first_anchors", glue_sections))),
    Mutant("unknown is unsat", "a solver's unknown is read as unsat", RELAY, setting((Solver, "check", unknown_is_unsat))),
    Mutant("limit is the end", "a state limit ends in safe", HANDSHAKE,
           setting((inference, "reach_and_build", stop_quietly)), options=Options(max_states=5)),
    Mutant("nothing new is safe", "no new predicate ends in safe", RELAY,
           setting((ContextInference, "loop", nothing_new_is_safe), (refine, "MINERS", (("nothing", _no_predicates),)))),
)


def table(rows: Sequence[tuple[Mutant, Catch]]) -> str:
    """A line for each mutant: what it says, what the honest engine says, and what stops it in the product."""
    lines = [f"{'mutant':22}{'oracle':9}{'honest':9}{'literal':9}in the product"]
    for mutant, catch in rows:
        truth = {True: "race", False: "no race", None: "?"}[catch.racy]
        missed = "" if catch.caught(mutant.harm) else "  NOT CAUGHT"
        lines.append(f"{mutant.name:22}{truth:9}{catch.honest:9}{catch.literal:9}{catch.guarded}{missed}")
    return "\n".join(lines)
