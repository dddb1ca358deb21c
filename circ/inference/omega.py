"""The omega-check: from a context that is right for k threads to one that is right for any number.

The paper's check never looks at races again and accepts programs that race only with three threads. Here the unbounded
setting is explored once more, as *pairs*: (main thread's state, class of one other thread), disturbed by a third thread
wherever the three pairs it forms are possible. What this reaches is exactly what the kernel's pair certificate speaks of
(`P`), with a *holder* where the third thread is inside an atomic section (`K`). It stays polynomial.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import field
from typing import TypeAlias

from circ.abstraction.abstract_errors import ThreadState
from circ.abstraction.counters import ContextClass
from circ.inference.acfa import Acfa, ContextMove, collapse
from circ.inference.arg import AbstractSystem
from frontend.program import AllAt
from frontend.records import dataclass

Pair: TypeAlias = tuple[int, ThreadState, ContextClass, ContextClass | None]
"""Template and state of the main thread, class of another thread, and the atomic class of a third one, if there is one."""

ThirdEffect: TypeAlias = tuple[tuple[AllAt, ...], ThreadState, ContextClass | None]
"""What a step of a third thread asks of the others, the main thread's state behind it, and the third's class if it is atomic."""


class NotUnbounded(Exception):
    """An error state is reached when a third thread may interfere: the context does not extend to any number of threads.

    `crew`: the templates of the threads that had a part in it, as far as the pair knows, its main thread first.
    """

    def __init__(self, reason: str, crew: tuple[int, ...]) -> None:
        super().__init__(reason)
        self.crew = crew


@dataclass(slots=True)
class Pairs:
    """Every pair of threads that can occur, closed under steps of the two and of a third; with the context it rests on."""

    acfas: tuple[Acfa, ...]
    mus: tuple[dict[ThreadState, int], ...]
    reached: dict[Pair, None] = field(default_factory=dict)


def omega_check(system: AbstractSystem) -> Pairs:
    """Pairs for any number of threads; raises NotUnbounded if an error state is among them."""
    while True:
        collapsed = [collapse(arg, t) for t, arg in enumerate(system.args)]
        versions = [arg.version for arg in system.args]
        closure = _PairClosure(system, tuple(a for a, _ in collapsed), tuple(mu for _, mu in collapsed))
        closure.run()
        if versions == [arg.version for arg in system.args]:
            return closure.pairs


def may_exist(system: AbstractSystem, *templates: int) -> bool:
    """Whether the program has distinct threads of these templates (existence by count)."""
    for t in set(templates):
        n = system.count(t)
        if n is not None and templates.count(t) > n:
            return False
    return True


class _PairClosure:
    def __init__(self, system: AbstractSystem, acfas: tuple[Acfa, ...], mus: tuple[dict[ThreadState, int], ...]) -> None:
        self.system, self.acfas = system, acfas
        self.pairs = Pairs(acfas, mus)
        self.queue: list[Pair] = []
        self.beside: dict[tuple[int, ThreadState], dict[ContextClass, None]] = defaultdict(dict)
        """Which classes are occupied beside a main thread in this state (no holder)."""
        self.movers: dict[tuple[int, ThreadState], list[ContextClass]] = defaultdict(list)
        """Those of them in which a thread can do something that the main thread, or one beside it, notices."""
        self.met: set[tuple[ContextClass, ContextClass, int]] = set()
        """(class of a main thread, class beside it, global mask) that occurred: the pair facts about two others."""
        self.waiting: dict[tuple[ContextClass, ContextClass, int], list[tuple[int, ThreadState]]] = defaultdict(list)
        self.thirds: dict[Pair, frozenset[int]] = {}
        """Templates of the third threads that helped to reach a pair."""
        self.exist: dict[tuple[int, int, int], bool] = {}
        self.allowed: dict[tuple[int, ContextClass], tuple[tuple[AllAt, ...], bool]] = {}
        """What `class_allows` said, by the identity of the demands, which are kept so that no others get it."""
        self.effects: dict[tuple[int, ThreadState, ContextClass], tuple[ThirdEffect, ...]] = {}
        """What those do: by template and state of the main thread, and class."""
        self.noticed: dict[tuple[int, int, ContextClass, int], tuple[ContextMove, ...]] = {}
        """The moves of a third thread that are noticed: by template and location of the main one, class and global mask."""

    def run(self) -> None:
        for t, sk in enumerate(self.system.skeletons):
            for g, l in self.system.abstractions[t].initial():
                state = (sk.start, g, l)
                self.system.args[t].start(state)
                for s, acfa in enumerate(self.acfas):
                    if may_exist(self.system, t, s):
                        for c in sorted(acfa.start):
                            self.add((t, state, (s, c), None))
        for pair in self.queue:
            self.expand(pair)

    # ----------------------------------------------------------------------------------------------- pairs
    def add(self, pair: Pair, thirds: frozenset[int] = frozenset()) -> None:
        if pair in self.pairs.reached or not self.plausible(pair):
            return
        self.system.spend()
        self.pairs.reached[pair] = None
        self.thirds[pair] = thirds
        self.reject_errors(pair)
        self.queue.append(pair)

    def plausible(self, pair: Pair) -> bool:
        t, state, (s, c), holder = pair
        if state[1] not in self.acfas[s].label[c]:
            return False
        errors = self.system.errors
        if errors.joint and not any(errors.fit(t, state, s, other) for other in self.acfas[s].by_mask[c][state[1]]):
            return False
        return holder is None or state[1] in self.acfas[holder[0]].label[holder[1]]

    def reject_errors(self, pair: Pair) -> None:
        t, state, (s, c), _ = pair
        errors = self.system.errors
        crew = (t, s, *sorted(self.thirds[pair]))
        if errors.alone(t, state):
            raise NotUnbounded("a thread by itself", crew)
        for other in self.acfas[s].by_mask[c].get(state[1], ()):
            if errors.clashes(t, state, s, other) is not None:
                raise NotUnbounded("two threads, disturbed by a third", crew)

    def expand(self, pair: Pair) -> None:
        t, state, key, holder = pair
        if holder is not None:
            self.environment(pair, holder, key)
            return
        sk, acfa = self.system.skeletons[t], self.acfas[key[0]]
        held = acfa.atomic[key[1]]
        if not held:
            self.main_steps(pair)
        if not sk.atomic[state[0]]:
            self.environment(pair, key, None)
        if not held and not sk.atomic[state[0]]:
            self.meet(t, state, key)

    def main_steps(self, pair: Pair) -> None:
        t, (q, g, l), key, _ = pair
        for segment in self.system.skeletons[t].segments[q]:
            if segment.guards and not self.class_allows(segment.guards, key):
                continue
            for g2, l2 in self.system.abstractions[t].post(segment, g, l):
                after = (segment.target, g2, l2)
                self.system.args[t].connect((q, g, l), segment, after)
                self.add((t, after, key, None), self.thirds[pair])

    def environment(self, pair: Pair, mover: ContextClass, beside: ContextClass | None) -> None:
        """A step of another thread: of the pair's second one (`beside` None), or of a third one while `beside` stays."""
        t, state, _, _ = pair
        if beside is None:
            for move in self.acfas[mover[0]].moves[mover[1]].get(state[1], ()):
                self.disturb(pair, mover, move)
            return
        for demands, after, holder in self.thirds_effects(t, state, mover):
            if demands and not self.class_allows(demands, beside):
                continue
            if demands:
                self.system.args[t].union(state, after)
            disturbed = (t, after, beside, holder)
            if disturbed not in self.pairs.reached:
                self.add(disturbed, self.thirds[pair] | {mover[0]})

    def noticed_moves(self, t: int, q: int, mover: ContextClass, g: int) -> tuple[ContextMove, ...]:
        """The moves of a third thread without those that lead to the same pair again: between classes that are not atomic,
        with the same global mask, and writing nothing that the main thread's predicates relate to its locals.

        Leaving an atomic class is always noticed: with nobody in one, all may step.
        """
        key = (t, q, mover, g)
        found = self.noticed.get(key)
        if found is None:
            acfa, abstraction = self.acfas[mover[0]], self.system.abstractions[t]
            found = self.noticed[key] = tuple(
                move for move in acfa.moves[mover[1]].get(g, ())
                if move[0] != g or acfa.atomic[mover[1]] or acfa.atomic[move[2]] or abstraction.relates(q, move[1]))
        return found

    def thirds_effects(self, t: int, state: ThreadState, mover: ContextClass) -> tuple[ThirdEffect, ...]:
        """What the noticed moves of a third thread do to a main thread's state, whoever else is beside it: without demands,
        the environment turns the one state into the other."""
        key = (t, state, mover)
        found = self.effects.get(key)
        if found is None:
            q, g, l = state
            made: dict[ThirdEffect, None] = {}
            for g2, writes, target, demands in self.noticed_moves(t, q, mover, g):
                if demands and not self.system.allows(demands, t, q):
                    continue
                holder = (mover[0], target) if self.acfas[mover[0]].atomic[target] else None
                for l2 in self.system.abstractions[t].disturbed(q, g2, l, writes):
                    made[demands, (q, g2, l2), holder] = None
                    if not demands:
                        self.system.args[t].union(state, (q, g2, l2))
            found = self.effects[key] = tuple(made)
        return found

    def disturb(self, pair: Pair, mover: ContextClass, move: ContextMove) -> None:
        """A step of the pair's second thread."""
        t, (q, g, l), _, _ = pair
        g2, writes, target, demands = move
        if demands and not self.system.allows(demands, t, q):
            return
        for l2 in self.system.abstractions[t].disturbed(q, g2, l, writes):
            after = (q, g2, l2)
            self.system.args[t].union((q, g, l), after)
            self.add((t, after, (mover[0], target), None), self.thirds[pair])

    def class_allows(self, demands: tuple[AllAt, ...], key: ContextClass) -> bool:
        asked = id(demands), key
        found = self.allowed.get(asked)
        if found is None:
            allowed = any(self.system.allows(demands, key[0], anchor) for anchor in self.acfas[key[0]].anchors[key[1]])
            found = self.allowed[asked] = (demands, allowed)
        return found[1]

    # ----------------------------------------------------------------------------------------------- third threads
    def meet(self, t: int, state: ThreadState, key: ContextClass) -> None:
        """A new neighbour: with each of the others beside this main thread it makes a triple, either of them moving."""
        row = self.beside[t, state]
        row[key] = None
        movers = self.movers[t, state]
        if self.noticed_moves(t, state[0], key, state[1]):
            movers.append(key)
            for other in tuple(row):
                self.triple(t, state, other, key)
        for other in tuple(movers):
            if other != key:
                self.triple(t, state, key, other)
        self.note(t, state, key)

    def note(self, t: int, state: ThreadState, key: ContextClass) -> None:
        c = self.pairs.mus[t].get(state)
        if c is not None:
            fact = ((t, c), key, state[1])
            if fact not in self.met:
                self.met.add(fact)
                for a, b in ((fact[0], fact[1]), (fact[1], fact[0])):
                    for main, at in self.waiting.pop((a, b, state[1]), ()):
                        self.triple(main, at, a, b)

    def triple(self, t: int, state: ThreadState, second: ContextClass, third: ContextClass) -> None:
        """The third thread steps, if the three pairs it makes with the others are all possible."""
        g = state[1]
        exist = self.exist.get((t, second[0], third[0]))
        if exist is None:
            exist = self.exist[t, second[0], third[0]] = may_exist(self.system, t, second[0], third[0])
        if not exist:
            return
        if (second, third, g) in self.met and (third, second, g) in self.met:
            self.environment((t, state, second, None), third, second)
        else:
            self.waiting[second, third, g].append((t, state))
