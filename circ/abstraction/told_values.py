"""In words: which values shared variables have while a variable is accessed, read off states that were reached.

What is said is true of all states that are noted. It is said only if it tells accesses apart: the values of a variable that one
thread needs exclude those that another one needs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from circ.evidence import Question, RaceOn
from frontend.program import AccessKind, Program
from frontend.program.display import condition, threads_named

MOST_SHOWN = 3
"""Values that a sentence lists."""
LARGEST = 1 << 16
"""Numbers from here on may be addresses, which say nothing to people."""
MOST_LINES = 6
"""Lines of source that a sentence names."""


class AccessValues:
    """What `cells` (names of globals, in the order of the values that are noted) hold where a variable is accessed."""

    def __init__(self, program: Program, variable: str, cells: Sequence[str | None]) -> None:
        self.program, self.cells = program, cells
        self.variable = variable
        self.lines: dict[int, set[int]] = {}
        self.writers: set[int] = set()
        self._places: list[dict[int, None]] = [{} for _ in program.templates]
        for n, e, a in program.accesses.get(variable, ()):
            if a.kind is not AccessKind.SYNC and not e.protected:
                self._places[n][e.source] = None
                self.lines.setdefault(n, set()).add(e.location.line)
                self.writers |= {n} if a.write else set()
        self._at: dict[int, list[set[int] | None]] = {}

    def is_access(self, template: int, location: int) -> bool:
        """Whether a thread there is about to access the variable, with others beside it."""
        return location in self._places[template]

    def note(self, template: int, values: Sequence[object]) -> None:
        """A state of the globals with such a thread."""
        here = self._at.setdefault(template, [set() if name is not None else None for name in self.cells])
        for position, known in enumerate(here):
            if known is not None:
                value = values[position]
                if isinstance(value, int) and -LARGEST < value < LARGEST and len(known) <= MOST_SHOWN:
                    known.add(value)
                else:
                    here[position] = None

    def sentences(self) -> tuple[str, ...]:
        """One about the variable that tells the accesses apart best; nothing if none does."""
        if self._at.keys() != self.lines.keys():
            return ()
        best = min((p for p in range(len(self.cells)) if self._tells(p)), key=self._effort, default=None)
        return () if best is None else ("; ".join(self._said(best)),)

    def _tells(self, position: int) -> bool:
        sets = {n: here[position] for n, here in self._at.items()}
        known = {n: values for n, values in sets.items() if values is not None and len(values) <= MOST_SHOWN}
        if len(known) < len(sets):
            return False
        if len(known) == 1:
            [(n, values)] = known.items()
            return len(values) == 1 and self.program.templates[n].count != 1
        return all(known[a].isdisjoint(known[b]) for a, b in combinations(known, 2) if not self.writers.isdisjoint((a, b)))

    def _effort(self, position: int) -> tuple[bool, int, int]:
        name = self.cells[position] or ""
        return name.startswith("<"), sum(len(here[position] or ()) for here in self._at.values()), position

    def _said(self, position: int) -> Iterator[str]:
        name = self.cells[position] or ""
        shown = {v.name: v.shown or v.name for v in self.program.globals}.get(name, name)
        groups: dict[tuple[tuple[int, ...], tuple[int, ...]], list[str]] = {}
        for n, here in sorted(self._at.items()):
            key = tuple(sorted(here[position] or ())), tuple(sorted(self.lines[n]))
            groups.setdefault(key, []).append(self.program.templates[n].name)
        for (values, lines), names in groups.items():
            verb = "accesses" if len(names) == 1 else "access"
            yield f"{threads_named(self.program, names)} {verb} it at {told_lines(lines)} only while {condition(shown, values)}"


def never(question: Question) -> str:
    """What was found never to happen, after all that the threads can do was looked at."""
    return "never are two of them at such accesses at the same time" if isinstance(question, RaceOn) else "no assertion fails"


def told_lines(lines: Collection[int]) -> str:
    """`line 4`, `lines 4, 7`; of many the first ones."""
    numbers = sorted(lines)
    more = ", ..." if len(numbers) > MOST_LINES else ""
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers[:MOST_LINES]))}{more}"
