"""What the last check of some files found, and what of it can be used after an edit.

Nothing old is believed: a proof or a run about another version of the program is renamed to this one and offered to the kernel,
which accepts it or not. Only where the program is the same in all that a proof speaks about (`Program.fingerprint`), and the edit
moved lines at most, the kernel's word of before holds, and places are moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from circ.static.possible.possible_races import possible_races
from circ.verdict import Answer, PossibleRace, RaceOn, Refuted, Safe, Unknown, UserQuestion
from frontend.program import Assumption, Location, Program
from frontend.records import dataclass

_LINES = re.compile(r"\blines? \d+(?:, \d+)*")


@dataclass(frozen=True, slots=True)
class Known:
    """A program as it was last read, by which text and options (`key`), and what was answered about it."""

    key: str
    program: Program
    answers: Mapping[UserQuestion, Answer] = field(default_factory=dict)


def usable(known: Known, program: Program) -> tuple[dict[UserQuestion, Answer], dict[UserQuestion, Answer]]:
    """Of what was answered about an older version of a program: what holds as it stands, and what the kernel is to judge."""
    if known.program.fingerprint() != program.fingerprint():
        return {}, {q: renamed(a, program) for q, a in known.answers.items() if not isinstance(a.verdict, Unknown)}
    if known.program is program:
        return {q: a for q, a in known.answers.items() if not _cut_short(a)}, {}
    moved = Moved(known.program, program)
    open_ = [q.variable for q, a in known.answers.items() if isinstance(q, RaceOn) and isinstance(a.verdict, Unknown)]
    races = possible_races(program, open_) if open_ else {}
    return {q: moved.answer(a, races) for q, a in known.answers.items() if not _cut_short(a)}, {}


def _cut_short(answer: Answer) -> bool:
    """Whether another try may find more: the last one was killed, or ended by our own mistake."""
    return isinstance(answer.verdict, Unknown) and bool(answer.verdict.killed or answer.verdict.bug)


def renamed(answer: Answer, program: Program) -> Answer:
    """The answer with its evidence as evidence about this program, which it may not be; words about the old one are left out."""
    match answer.verdict:
        case Safe(certificate=proof) as safe:
            verdict: Safe | Refuted | Unknown = replace(safe, certificate=replace(proof, program=program.fingerprint()), why=())
        case Refuted(trace=trace) as refuted:
            verdict = replace(refuted, trace=replace(trace, program=program.fingerprint()))
        case _:
            verdict = answer.verdict
    return replace(answer, verdict=verdict, warnings=(), assumptions=())


class Moved:
    """Where the places of one version of a program are in another one that differs in its places only."""

    def __init__(self, before: Program, after: Program) -> None:
        self.places = {old: new for old, new in zip(_places(before), _places(after), strict=True) if old.line}
        lines: dict[int, set[int]] = {}
        for old, new in self.places.items():
            lines.setdefault(old.line, set()).add(new.line)
        self.lines = {old: next(iter(new)) for old, new in lines.items() if len(new) == 1}

    def place(self, location: Location) -> Location:
        return self.places.get(location, location)

    def words(self, sentence: str) -> str | None:
        """The sentence with its line numbers as they are now; None if one of them is not known any more."""
        numbers = [int(n) for found in _LINES.findall(sentence) for n in re.findall(r"\d+", found)]
        if any(n not in self.lines for n in numbers):
            return None
        return _LINES.sub(lambda m: re.sub(r"\d+", lambda n: str(self.lines[int(n[0])]), m[0]), sentence)

    def answer(self, answer: Answer, races: Mapping[str, PossibleRace | str]) -> Answer:
        verdict = answer.verdict
        match verdict:
            case Safe(why=why):
                verdict = replace(verdict, why=tuple(s for s in map(self.words, why) if s is not None))
            case Unknown(where=where) if isinstance(answer.question, RaceOn):
                race = races.get(answer.question.variable)
                verdict = replace(verdict, where=self.place(where), possible=race if isinstance(race, PossibleRace) else None)
            case _:
                pass
        return replace(answer, verdict=verdict, warnings=tuple(map(self._assumption, answer.warnings)),
                       assumptions=tuple(map(self._assumption, answer.assumptions)))

    def _assumption(self, assumption: Assumption) -> Assumption:
        return replace(assumption, location=self.place(assumption.location))


def _places(program: Program) -> Iterator[Location]:
    """The places of a program in a fixed order, as many in every version with the same fingerprint."""
    for v in program.globals:
        yield v.location
    for t in program.templates:
        yield t.location
        for edge in t.cfa.edges:
            yield edge.location
            yield from (access.location for access in edge.accesses)
