"""The report of one program for people: races first, then possible races by rank, then what is unknown, then what is proved.

The fields of a struct and the parts of an array are told together. What nobody asks about (string literals, locks themselves,
padding) has no line of its own unless it is a race, and many proofs are counted instead of listed, unless all are wanted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from circ.report.excerpts import Excerpts
from circ.report.possible import headline
from circ.report.text import PLAIN, Manner, answer_text
from circ.verdict import Answer, RaceOn, Refuted, Safe, Unknown
from frontend.program import Program, Variable

LISTED = 16
"""So many variables have a line each, whatever is said of them; of more, proofs are counted."""
MOST_UNKNOWN = 12
"""Objects of which nothing is known that have lines of their own; more are counted."""
MOST_POSSIBLE = 50
"""Objects with possible races that have lines of their own, those first for which most speaks; more are counted."""
MOST_PARTS = 8
"""Parts of an object that have a line below the first one."""
_PADDING = re.compile(r"(^|[._])(_*pad(ding)?_?\d*|_*reserved\d*|_*unused\d*)(\[\])*$")


class ObjectReport:
    """What of a program's answers is told at once, and what at the end."""

    def __init__(self, program: Program, asked: Sequence[str], everything: bool, manner: Manner = PLAIN,
                 ranked: bool = True) -> None:
        """`asked`: the variables asked about; `everything`: each answer has its line; `ranked`: possible races come first."""
        self.program, self.manner, self.excerpts = program, manner, Excerpts.of(program)
        self._variables = {v.name: v for v in program.globals}
        self.everything, self.ranked = everything, ranked
        self.listed = everything or sum(not self._silent(name) for name in asked) <= LISTED

    def at_once(self, answer: Answer) -> str:
        """The text for an answer as soon as it is there: all races, and proofs where they are listed."""
        match answer.verdict:
            case Refuted():
                return self._text(answer)
            case Safe():
                return self._text(answer) if self.listed and not self._hidden(answer) else ""
            case Unknown():
                return self._text(answer) if self._is_told_at_once(answer) else ""

    def _is_told_at_once(self, answer: Answer) -> bool:
        """Whether an undecided question has its line as soon as that is known: nothing is to be ordered or put together."""
        assert isinstance(answer.verdict, Unknown)
        plain = self.listed and not self.ranked and not self._hidden(answer)
        return plain or bool(answer.verdict.bug) or not isinstance(answer.question, RaceOn)

    def at_the_end(self, answers: Sequence[Answer]) -> str:
        """What is possible, then what is unknown, each by objects; then what has no line of its own, counted."""
        open_ = [a for a in answers if isinstance(a.verdict, Unknown) and not self._is_told_at_once(a)]
        shown = [a for a in open_ if not self._hidden(a)]
        lines = [*self._possible([a for a in shown if _possible(a)]), *self._unknown([a for a in shown if not _possible(a)])]
        lines += self._counted(answers)
        return "".join(f"{line}\n" for line in lines)

    # ----------------------------------------------------------------------------------------------- groups
    def _possible(self, answers: Sequence[Answer]) -> Iterator[str]:
        """Objects in the order of their worst part, its parts in the order of theirs."""
        objects = self._objects(sorted(answers, key=_rank))
        told = len(objects) if self.everything else MOST_POSSIBLE
        for first, *others in objects[:told]:
            yield from self._text(first).splitlines()
            alike: dict[str, list[str]] = {}
            for other in others:
                assert isinstance(other.verdict, Unknown) and other.verdict.possible is not None
                race = other.verdict.possible
                alike.setdefault(f"{race.first.location}: {headline(race)}", []).append(f"'{other.shown}'")
            for line, names in list(alike.items())[:MOST_PARTS]:
                place, _, what = line.partition(": ")
                yield f"  also on {_some(names)} ({place}): {what}"
            rest = [name for names in list(alike.values())[MOST_PARTS:] for name in names]
            if rest:
                yield f"  also on {_some(rest)}"
        if more := objects[told:]:
            yield (f"{self.program.file}: possible race on {sum(map(len, more))} more variables of {len(more)} objects, "
                   "for which less speaks (--verbose lists them)")

    def _unknown(self, answers: Sequence[Answer]) -> Iterator[str]:
        objects = self._objects(answers)
        told = len(objects) if self.everything else MOST_UNKNOWN
        for first, *others in objects[:told]:
            yield from self._text(first).splitlines()
            alike: dict[str, list[str]] = {}
            for other in others:
                assert isinstance(other.verdict, Unknown)
                alike.setdefault(other.verdict.reason, []).append(f"'{other.shown}'")
            for reason, names in alike.items():
                yield f"  so are {_some(names)}: {reason}" if len(names) > 1 else f"  so is {names[0]}: {reason}"

        rest = [a.verdict for group in objects[told:] for a in group if isinstance(a.verdict, Unknown)]
        for why, times in Counter(v.tried[0] if v.tried else v.reason for v in rest).most_common(MOST_PARTS):
            yield f"{self.program.file}: unknown: races on {times} more {_variables(times)}: {why} (--verbose lists them)"

    def _objects(self, answers: Sequence[Answer]) -> list[list[Answer]]:
        """The answers by the objects that they are about; one by one if everything is to be told."""
        found: dict[str, list[Answer]] = {}
        for n, answer in enumerate(answers):
            found.setdefault(str(n) if self.everything else self._object(answer), []).append(answer)
        return list(found.values())

    def _object(self, answer: Answer) -> str:
        assert isinstance(answer.question, RaceOn)
        variable = self._variables[answer.question.variable]
        return variable.object or variable.name

    def _counted(self, answers: Sequence[Answer]) -> Iterator[str]:
        """What has no line of its own."""
        proved = [a for a in answers if isinstance(a.verdict, Safe) and isinstance(a.question, RaceOn)]
        if not self.listed:
            visible = [a for a in proved if not self._hidden(a)]
            if visible:
                objects = len({self._object(a) for a in visible})
                yield (f"{self.program.file}: safe: no race on {len(visible)} variables of {objects} objects "
                       f"({_names(visible)}; --verbose lists them)")
        hidden = [a for a in answers if isinstance(a.question, RaceOn) and self._hidden(a)]
        left = Counter("proved" if isinstance(a.verdict, Safe) else "not proved" for a in hidden)
        if left and not self.listed:
            told = ", ".join(f"{n} {what}" for what, n in left.items())
            yield f"{self.program.file}: note: string literals, locks and padding: {told} (--verbose lists them)"

    def _hidden(self, answer: Answer) -> bool:
        """Whether nobody asked for it."""
        if self.everything or not isinstance(answer.question, RaceOn) or isinstance(answer.verdict, Refuted):
            return False
        return self._silent(answer.question.variable)

    def _silent(self, name: str) -> bool:
        variable = self._variables.get(name)
        return variable is not None and is_silent(variable)

    def _text(self, answer: Answer) -> str:
        return answer_text(self.program, answer, self.manner, self.excerpts)


def is_silent(variable: Variable) -> bool:
    """Whether a variable is a string literal, a lock, padding or reserved."""
    return variable.object.startswith('"') or ".__circ_" in variable.name or bool(_PADDING.search(variable.shown))


def _possible(answer: Answer) -> bool:
    return isinstance(answer.verdict, Unknown) and answer.verdict.possible is not None


def _rank(answer: Answer) -> tuple[int, int]:
    assert isinstance(answer.verdict, Unknown) and answer.verdict.possible is not None
    race = answer.verdict.possible
    return race.rank, len(race.first.locks) + len(race.second.locks)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= MOST_PARTS else f"{', '.join(names[:MOST_PARTS])} and {len(names) - MOST_PARTS} more"


def _variables(number: int) -> str:
    return "variable" if number == 1 else "variables"


def _names(answers: Sequence[Answer]) -> str:
    """Who proved them, most first."""
    return ", ".join(f"{n} by {engine}" for engine, n in Counter(a.engine for a in answers).most_common())
