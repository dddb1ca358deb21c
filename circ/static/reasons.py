"""Why a static proof holds, in plain words: which lock is held where, what comes before or after what."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations

from circ.abstraction.told_values import LARGEST, told_lines
from circ.static.arguments.argument import Argument
from circ.static.pairing import Pairing
from circ.static.tracking import Survey, Tracked, key
from circ.static.values import ValueSet, single
from frontend.program import AccessKind, Assign, Assume, Lvalue, Program, name_of, primitive, reads, show_lvalue
from frontend.program.display import condition, threads_named
from frontend.program.schedule_ghosts import ACTIVE, IE

NOTHING = ValueSet(False, frozenset())
_LOCK_WORD = re.compile(r"\.__circ_(\w+)$")
_THREAD_FLAG = re.compile(r"<(.+) (created|done)>")


def reasons(
    program: Program, variable: str, survey: Survey, tracked: Tracked, arguments: Sequence[Argument], pairing: Pairing
) -> tuple[str, ...]:
    """A sentence for each thing that the proof rests on, what orders the threads before the rest."""
    speaker = _Speaker(program, variable, survey, pairing)
    said = [*speaker.order(tracked.globals), *(s for v in tracked.globals for s in speaker.about(v))]
    said += [a.words for a in arguments]
    return tuple(dict.fromkeys(said)) or ("whatever the threads do, no two of them are at conflicting accesses to one cell",)


class _Speaker:
    """Says what the cells that are tracked have to do with a variable."""

    def __init__(self, program: Program, variable: str, survey: Survey, pairing: Pairing) -> None:
        self.program, self.variable, self.survey, self.pairing = program, variable, survey, pairing
        self.called = {v.name: v.shown or v.name for v in program.globals}
        self.writers = {n for n, _, a in program.accesses.get(variable, ()) if a.write}
        self.places = [(n, e) for n, e, a in program.accesses.get(variable, ()) if a.kind is not AccessKind.SYNC]

    def order(self, cells: Iterable[Lvalue]) -> Iterator[str]:
        """Who starts only after whom, and who waits for whose end; threads with one reason share a sentence."""
        created: dict[tuple[str, ...], list[str]] = {}
        done: dict[tuple[str, ...], list[str]] = {}
        for cell in cells:
            if flag := _THREAD_FLAG.fullmatch(show_lvalue(cell)):
                name, what = flag.groups()
                users = self.survey.tested if what == "done" else self.survey.written
                others = tuple(t.name for n, t in enumerate(self.program.templates)
                               if t.name != name and n in users.get(show_lvalue(cell), ()))
                (done if what == "done" else created).setdefault(others, []).append(name)
        for others, names in created.items():
            by = threads_named(self.program, others) or "nobody"
            who = threads_named(self.program, names)
            starts = f"{who} {_verb(names, 'starts', 'start')} only when {by} has created {_it(names)}"
            if done.get(others) == names:
                del done[others]
                yield f"{starts}, and {by} {_verb(others, 'waits', 'wait')} until {_verb(names, 'it has', 'they have')} ended"
            else:
                yield starts
        for others, names in done.items():
            by = threads_named(self.program, others) or "nobody"
            yield (f"{by} {_verb(others, 'waits', 'wait')} until {threads_named(self.program, names)} "
                   f"{_verb(names, 'has', 'have')} ended")

    def about(self, cell: Lvalue) -> Iterator[str]:
        """What a lock or a flag does for the variable; nothing of what `order` tells."""
        own = show_lvalue(cell)
        word = _LOCK_WORD.search(own)
        name = _LOCK_WORD.sub("", self.called.get(own, own))
        if _THREAD_FLAG.fullmatch(own) or own == ACTIVE.name:
            return
        match word[1] if word else "":
            case _ if own == IE.name:
                if off := self._threads_off(cell):
                    yield f"interrupts are off{self._at(off)}"
            case "barrier":
                yield f"the threads wait for each other at the barrier {name}{self._at(self._users(cell, tests=True))}"
            case "once":
                yield f"{name} lets one call alone do it{self._at(self._held(cell))}, and the others wait until that is over"
            case "value":
                posted, waited = self._at(self._users(cell, counts=True)), self._at(self._users(cell, tests=True))
                yield self._lock(cell, name) or f"the semaphore {name} hands it over: posted{posted}, waited for{waited}"
            case "mutex" | "spin" | "rwlock" | "flag":
                took, gave = self._at(self._users(cell, tests=True)), self._at(self._users(cell))
                yield self._lock(cell, name) or f"{name} puts them in order: taken{took}, given back{gave}"
            case _:
                yield self._lock(cell, name) or "; ".join(self._only_while(cell, name)) or self._flag(cell, name)

    def _lock(self, cell: Lvalue, name: str) -> str:
        """What is said of a lock that is held at some accesses; nothing if what one thread takes another one gives back."""
        held = self._held(cell)
        places = {(n, e.location.line) for n, e in self.places}
        if held and sum(map(len, held.values())) == len(places):
            return f"{name} is held at every access"
        several = len(held) > 1 or any(self.program.templates[n].count != 1 for n in held)
        return f"{name} is held{self._at(held)}" if held and several else ""

    def _only_while(self, cell: Lvalue, name: str) -> Iterator[str]:
        """For each thread with accesses the values that the cell has then, if those of one exclude those of the others."""
        position = self.pairing.regions[0].globals.index(cell)
        found: dict[int, ValueSet] = {}
        lines: dict[int, set[int]] = {}
        for n, e in self.places:
            found[n] = found.get(n, NOTHING).join(self._values(n, e.source, position))
            lines.setdefault(n, set()).add(e.location.line)
        found = {n: values for n, values in found.items() if not values.empty}  # what never meets another thread
        alone = len(found) == 1 and not any(values.several for values in found.values())
        apart = not alone and all(found[a].meet(found[b]).empty for a, b in combinations(found, 2)
                                  if not self.writers.isdisjoint((a, b)))
        known = all(values.values and all(abs(v) < LARGEST for v in values.values) for values in found.values())
        if found and known and (alone or apart):
            groups: dict[tuple[ValueSet, tuple[int, ...]], list[int]] = {}
            for n, values in found.items():
                groups.setdefault((values, tuple(sorted(lines[n]))), []).append(n)
            for (values, at), who in groups.items():
                only = condition(name, values.values, values.others)
                yield f"{self._named(who)} {_verb(who, 'accesses', 'access')} it at {told_lines(at)} only while {only}"

    def _values(self, template: int, location: int, position: int) -> ValueSet:
        """What a cell may hold while a thread is there."""
        p = self.pairing
        here = [i for i, (n, r, _) in enumerate(p.threads) if n == template and r == p.regions[n].of[location]]
        states = {s for pair, states in p.pairs.items() if not set(pair).isdisjoint(here) for s in states}
        return reduce(ValueSet.join, (p.lattice.states[s][position] for s in states), NOTHING)

    def _threads_off(self, cell: Lvalue) -> Mapping[int, Collection[int]]:
        """At which lines which threads access the variable with interrupts off."""
        position = self.pairing.regions[0].globals.index(cell)
        found: dict[int, set[int]] = {}
        for n, e in self.places:
            if self._values(n, e.source, position) == single(0):
                found.setdefault(n, set()).add(e.location.line)
        return found

    def _held(self, cell: Lvalue) -> Mapping[int, Collection[int]]:
        """At which lines which threads access the variable with a lock held."""
        bit = self.survey.locks.get(key(cell) or ("", None), 0)
        found: dict[int, set[int]] = {}
        for n, e in self.places:
            if self.survey.held[n][e.source] & bit:
                found.setdefault(n, set()).add(e.location.line)
        return found

    def _flag(self, cell: Lvalue, name: str) -> str:
        """Who sets and who tests a variable whose value decides."""
        told = [f"{self._named(who)} {_verb(who, verb, verb[:-1])} it{self._at(who)}"
                for who, verb in ((self._users(cell), "sets"), (self._users(cell, tests=True), "tests")) if who]
        return f"the value of {name} decides who may access it" + (f": {', '.join(told)}" if told else "")

    def _users(self, cell: Lvalue, tests: bool = False, counts: bool = False) -> Mapping[int, Collection[int]]:
        """At which lines which threads test the cell, or set it without that; `counts`: to what depends on the value before."""
        found: dict[int, set[int]] = {}
        for n, e in self.survey.edges_with(name_of(cell)):
            parts = tuple(primitive(e.op))
            tested = any(isinstance(p, Assume) and cell in reads(p.cond) for p in parts)
            sets = any(isinstance(p, Assign) and p.target == cell and (not counts or cell in reads(p.value)) for p in parts)
            if tested if tests else sets and not tested:
                found.setdefault(n, set()).add(e.location.line)
        return found

    def _named(self, who: Iterable[int]) -> str:
        return threads_named(self.program, [self.program.templates[n].name for n in who])

    def _at(self, who: Mapping[int, Collection[int]]) -> str:
        lines = sorted({line for lines in who.values() for line in lines if line})
        return f" at {told_lines(lines)}" if lines else ""


def _verb(who: Collection[object], one: str, several: str) -> str:
    return one if len(who) == 1 else several


def _it(who: Collection[object]) -> str:
    return "it" if len(who) == 1 else "them"

