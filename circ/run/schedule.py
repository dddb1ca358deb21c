"""In which order the questions of a program are worked at, and for how long: what is cheap first for all, then what matters most.

First triage and the static prover have a look at every question. What is left is ordered by how much speaks for a race on it
(`circ.static.possible`): runs that show a race are looked for in this order, then inference has its turn. Each question has its
limit, which its parts share, and all of them together may have a budget, of which each gets its share of what is left. An engine
whose work has no such parts is asked once a question, in the order given.

How far a part goes is counted, not timed. A part that a share of the budget has cut short is asked for again until it ends by
itself, or there is no time left: a question is worked at as on an idle machine, or its answer says that a limit was reached.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from circ.static.possible.possible_races import by_rank
from circ.verdict import Answer, Part, PossibleRace, RaceOn, Unknown, UserQuestion

FAIR = 2.0
"""How much more than its fair share of the budget a question may take: most take less."""
SUSPECT = 30.0
"""Seconds for the possible races of a program."""
LEAST = 0.5
"""Seconds that are worth starting for."""


@dataclass(frozen=True, slots=True)
class NamedQuestion:
    """A question and what the user calls its subject."""

    question: UserQuestion
    shown: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A task: a part of the work at a question, in so many seconds."""

    named: NamedQuestion
    part: Part
    timeout: float | None


@dataclass(frozen=True, slots=True)
class Suspect:
    """A task: the possible races on these variables."""

    variables: tuple[str, ...]
    timeout: float | None


Races: TypeAlias = Mapping[str, PossibleRace | str]
"""For each variable its possible race, or why there is none to tell of."""


def variables_of(questions: Sequence[NamedQuestion]) -> tuple[str, ...]:
    return tuple(n.question.variable for n in questions if isinstance(n.question, RaceOn))


class Schedule:
    """The tasks of one program as they come, and what is known of its questions by then."""

    def __init__(self, asked: Sequence[NamedQuestion], parts: bool, possible: bool, timeout: float | None,
                 deadline: float | None, shares: bool = True) -> None:
        """`parts`: the engine's work has parts; `deadline` (of the monotonic clock): when the budget is used up.

        With `shares` each part of the work gets its share of what is left of the budget, else as much as there is.
        """
        self.asked, self.parts, self.possible = asked, parts and len(asked) > 1, possible
        self.timeout, self.deadline, self.shares = timeout, deadline, shares
        self.answers: dict[NamedQuestion, Answer] = {}
        """The last answer to each question, final or not."""
        self.final: set[NamedQuestion] = set()
        self.races: Races = {}
        self._suspected = not possible
        """Whether the possible races were asked for."""
        self.spent: dict[NamedQuestion, float] = {}
        self.cut: dict[NamedQuestion, set[Part]] = {}
        """Parts of the work that were cut short by the clock."""
        self.had: dict[NamedQuestion, set[Part]] = {}
        """Parts of the work that were asked for, cut short or not."""

    def tasks(self) -> Iterator[Ask | Suspect]:
        """What to do next, given what `note` has been told; ends when all is answered or the budget is used up."""
        if not self.parts:
            for task in self._part(Part.ALL, self.asked):
                yield task
                if self.awaits_races(self.answers[task.named]):
                    yield from self._suspect(self.asked)
            yield from self._again(Part.ALL)
            return
        yield from self._part(Part.PROVE, self.asked)
        if self.open():
            yield from self._suspect(self.open())
        # Where the possible races are not known, because that took too long, they may be anywhere.
        known = self.possible and self.races
        yield from self._part(Part.SEARCH, [n for n in self._left() if not known or self._race(n) is not None])
        yield from self._part(Part.REST, self._left())
        yield from self._again(Part.SEARCH, Part.REST)

    def _again(self, *parts: Part) -> Iterator[Ask]:
        """What was cut short, as long as there is time for it."""
        while not self.over():
            asked = False
            for part in parts:
                for task in self._part(part, [n for n in self._left() if part in self.cut.get(n, ())]):
                    asked = True
                    yield task
            if not asked:
                return

    def _suspect(self, questions: Sequence[NamedQuestion]) -> Iterator[Suspect]:
        variables = variables_of(questions)
        if not self._suspected and variables:
            yield Suspect(variables, min(SUSPECT, self._rest()))
        self._suspected = True

    def awaits_races(self, answer: Answer) -> bool:
        """Whether the answer is to be told with a possible race, and these are not known yet."""
        return not self._suspected and isinstance(answer.verdict, Unknown) and isinstance(answer.question, RaceOn)

    def note(self, task: Ask, answer: Answer, seconds: float) -> Answer:
        """Takes down an answer, which is final if it decides the question or nothing is left to try; with what it took in all."""
        named = task.named
        before = self.answers.get(named)
        if before is not None:
            answer = _added(answer, before.verdict.statistics.seconds)
        self.spent[named] = self.spent.get(named, 0.0) + seconds
        self.answers[named] = answer
        verdict, cut = answer.verdict, self.cut.setdefault(named, set())
        last = task.part in (Part.ALL, Part.REST) or Part.REST in self.had.get(named, ())
        self.had.setdefault(named, set()).add(task.part)
        cut.discard(task.part)
        if task.timeout is not None and seconds >= task.timeout and task.part is not Part.PROVE:  # the rest looks for proofs, too
            cut.add(task.part)
        by_itself = self.deadline is None or not cut
        if not isinstance(verdict, Unknown) or verdict.bug or (last and by_itself):
            self.final.add(named)
        return answer

    def standing(self, named: NamedQuestion, why: str, advice: str, engine: str) -> Answer:
        """What is known of a question that no task will come to any more."""
        known = self.answers.get(named)
        tried = () if known is None or not isinstance(known.verdict, Unknown) else known.verdict.tried
        return Answer(named.question, named.shown, Unknown(why, tried, advice), engine)

    def open(self) -> tuple[NamedQuestion, ...]:
        """The questions without a last answer, as asked."""
        return tuple(n for n in self.asked if n not in self.final)

    def over(self) -> bool:
        """Whether the budget is used up."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    def _rest(self) -> float:
        """The seconds that are left of the budget."""
        return float("inf") if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    def _left(self) -> list[NamedQuestion]:
        """The open questions, those first for whose race most speaks."""
        left = self.open()
        order = {v: n for n, v in enumerate(by_rank(dict(self.races)))}
        return sorted(left, key=lambda n: order.get(n.question.variable, -1) if isinstance(n.question, RaceOn) else len(order))

    def _race(self, named: NamedQuestion) -> PossibleRace | None:
        race = self.races.get(named.question.variable) if isinstance(named.question, RaceOn) else None
        return None if isinstance(race, str) else race

    def _part(self, part: Part, questions: Sequence[NamedQuestion]) -> Iterator[Ask]:
        for number, named in enumerate(questions):
            timeout = self._share(part, named, len(questions) - number)
            if self.over() or (timeout is not None and timeout <= 0):
                continue
            yield Ask(named, part, timeout)

    def _share(self, part: Part, named: NamedQuestion, left: int) -> float | None:
        """The seconds that a part of the work at a question may take; `left`: so many questions are to have this part."""
        limits = []
        if self.timeout is not None:
            own = self.timeout - self.spent.get(named, 0.0)
            limits.append(own)
        if self.deadline is not None and not self.shares:
            limits.append(self._rest())
        elif self.deadline is not None:
            rest = self._rest()
            # Later parts need time, too.
            here = rest * {Part.PROVE: 0.4, Part.SEARCH: 0.6, Part.REST: 1.0, Part.ALL: 1.0}[part]
            limits.append(min(rest, max(LEAST, FAIR * here / left)))
        return min(limits, default=None)


def _added(answer: Answer, before: Mapping[str, float]) -> Answer:
    """The answer with the seconds of earlier parts added to its own."""
    verdict = answer.verdict
    both = {**before, **{name: s + before.get(name, 0.0) for name, s in verdict.statistics.seconds.items()}}
    return replace(answer, verdict=replace(verdict, statistics=replace(verdict.statistics, seconds=both)))
