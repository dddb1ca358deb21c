"""In which order the questions of a program are worked at, and for how long: what is cheap first for all, then what matters most.

First triage and the static prover have a glance at every question. What is left is ordered by how much speaks for a race on it
(`circ.static.possible`; of many questions with a budget this is found out first, and what seems to be protected is then tried
before the rest): runs that show a race are looked for in this order, with little effort; then the static prover looks again, for
longer, then come runs with more effort, then inference has its turn. Each question has its limit, which its parts share, and all
of them together may have a budget. An engine whose work has no such parts is asked once a question, in the order given.

How far a part goes is counted, never timed: with a budget the first look at each of many questions is shorter, by what the
budget and their number are, not by what the clock says. The clock only ends the work, and then the answer says so: whatever the
machine does besides, two runs that end by themselves agree, and one that does not has the same answers up to its end.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from circ.static.possible.possible_races import by_rank
from circ.verdict import FIRST_LOOK, Answer, Part, PossibleRace, RaceOn, Unknown, UserQuestion
from frontend.records import dataclass

FIRST_SHARE = 0.8
"""The part of a budget that first looks may take at most; most take less."""
STEPS_A_SECOND = 100_000
"""What the static prover does on an ordinary machine: a rate of exchange, not measured while it runs."""
LEAST_LOOK = 20_000
"""Steps that are worth starting for: a glance."""
MANY = 60
"""Of more questions that have a budget together, the possible races are found before anything is proved: whatever the budget
comes to, they are known then."""


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
    look: int = FIRST_LOOK
    """Steps of the static prover, if the part is to prove."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A task: the possible races on these variables."""

    variables: tuple[str, ...]
    timeout: float | None


Races: TypeAlias = Mapping[str, PossibleRace | str]
"""For each variable its possible race, or why there is none to tell of; variables that were too much to look at are left out."""


def first_look(budget: float | None, questions: int) -> int:
    """The steps of the first look at each of so many questions that have a budget of so many seconds together."""
    if budget is None:
        return FIRST_LOOK
    steps = min(FIRST_SHARE * budget / max(1, questions) * STEPS_A_SECOND, FIRST_LOOK)
    return max(LEAST_LOOK, int(steps))


def variables_of(questions: Sequence[NamedQuestion]) -> tuple[str, ...]:
    return tuple(n.question.variable for n in questions if isinstance(n.question, RaceOn))


class Schedule:
    """The tasks of one program as they come, and what is known of its questions by then."""

    def __init__(self, asked: Sequence[NamedQuestion], parts: bool, possible: bool, timeout: float | None,
                 deadline: float | None, look: int = FIRST_LOOK) -> None:
        """`parts`: the engine's work has parts; `deadline` (of the monotonic clock): when the budget is used up.

        `look`: the steps of the static prover's second look at a question.
        """
        self.asked, self.parts, self.possible = asked, parts and len(asked) > 1, possible
        self.timeout, self.deadline, self.look = timeout, deadline, look
        self.answers: dict[NamedQuestion, Answer] = {}
        """The last answer to each question, final or not."""
        self.final: set[NamedQuestion] = set()
        self.races: Races = {}
        self.suspected = not possible
        """Whether the possible races were asked for."""
        self.spent: dict[NamedQuestion, float] = {}

    def tasks(self) -> Iterator[Ask | Suspect]:
        """What to do next, given what `note` has been told; ends when all is answered or the budget is used up."""
        if not self.parts:
            for task in self._part(Part.ALL, self.asked):
                yield task
                if self.awaits_races(self.answers[task.named]):
                    yield from self._suspect(self.asked)
            return
        if self.deadline is not None and len(self.asked) > MANY:
            yield from self._suspect(self.asked)
            yield from self._part(Part.PROVE, sorted(self.asked, key=lambda n: not self._seems_safe(n)), LEAST_LOOK)
        else:
            yield from self._part(Part.PROVE, self.asked, LEAST_LOOK)
        if self.open():
            yield from self._suspect(self.open())
        yield from self._part(Part.SEARCH, [n for n in self._left() if not self._seems_safe(n)])
        if self.look > LEAST_LOOK:
            yield from self._part(Part.PROVE, sorted(self.open(), key=lambda n: not self._seems_safe(n)), self.look)
        for part in (Part.RUNS, Part.FURTHER):
            yield from self._part(part, [n for n in self._left() if not self._seems_safe(n)])
        yield from self._part(Part.REST, self._left())

    def _suspect(self, questions: Sequence[NamedQuestion]) -> Iterator[Suspect]:
        variables = variables_of(questions)
        if not self.suspected and variables and not self.over():
            yield Suspect(variables, self._limit(self.timeout))
            self.suspected = True

    def awaits_races(self, answer: Answer) -> bool:
        """Whether the answer is to be told with a possible race, and these are not known yet."""
        return not self.suspected and isinstance(answer.verdict, Unknown) and isinstance(answer.question, RaceOn)

    def note(self, task: Ask, answer: Answer, seconds: float) -> Answer:
        """Takes down an answer, which is final if it decides the question or nothing is left to try; with what it took in all."""
        named = task.named
        before = self.answers.get(named)
        if before is not None:
            answer = _added(answer, before.verdict.statistics.seconds)
        self.spent[named] = self.spent.get(named, 0.0) + seconds
        self.answers[named] = answer
        verdict, last = answer.verdict, task.part in (Part.ALL, Part.REST)
        # What the end of the budget has cut short stays open: that the budget is used up is its answer.
        if not isinstance(verdict, Unknown) or verdict.bug or (last and not self.over()):
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

    def _limit(self, own: float | None) -> float | None:
        """The seconds that a task may take, given how many its own limit leaves it: never more than are left of the budget."""
        if self.deadline is None:
            return own
        rest = max(0.0, self.deadline - time.monotonic())
        return rest if own is None else min(own, rest)

    def _left(self) -> list[NamedQuestion]:
        """The open questions, those first for whose race most speaks."""
        left = self.open()
        order = {v: n for n, v in enumerate(by_rank(dict(self.races)))}
        return sorted(left, key=lambda n: order.get(n.question.variable, -1) if isinstance(n.question, RaceOn) else len(order))

    def _seems_safe(self, named: NamedQuestion) -> bool:
        """Whether locks, creation and joining seem to protect it: no run will be found. Of what was not looked at, one may be."""
        match named.question:
            case RaceOn(variable=variable):
                return isinstance(self.races.get(variable), str)
            case _:
                return bool(self.races)

    def _part(self, part: Part, questions: Sequence[NamedQuestion], look: int = FIRST_LOOK) -> Iterator[Ask]:
        for named in questions:
            timeout = self._limit(None if self.timeout is None else self.timeout - self.spent.get(named, 0.0))
            if named not in self.final and not self.over() and (timeout is None or timeout > 0):
                yield Ask(named, part, timeout, look)


def _added(answer: Answer, before: Mapping[str, float]) -> Answer:
    """The answer with the seconds of earlier parts added to its own."""
    verdict = answer.verdict
    both = {**before, **{name: s + before.get(name, 0.0) for name, s in verdict.statistics.seconds.items()}}
    return replace(answer, verdict=replace(verdict, statistics=replace(verdict.statistics, seconds=both)))
