"""The C programs with known verdicts: what their header comments say.

A header is the run of `//` comments at the top of the file:

    // CIRC: --thread worker=2 --ints math     options of `circ check`, several lines add up
    // EXPECT: safe x                          verdict and what it is about: a variable, or `asserts`

`violated` may stand alone and then means the assertions.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "tests" / "programs"
NESC_EXAMPLES = ROOT / "nesc_examples"

VERDICTS = ("safe", "race", "violated", "unknown")
ASSERTS = "asserts"


class HeaderError(Exception):
    """A header line that does not say what it must; names the file and the line."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """`subject` is a variable as the user writes it (`x`, `s.f`, `a[]`), or `asserts`."""

    verdict: str
    subject: str


@dataclass(frozen=True, slots=True)
class Example:
    """A program, the options it is to be checked with, and the verdicts that must come out."""

    path: Path
    options: tuple[str, ...]
    expectations: tuple[Expectation, ...]

    @property
    def name(self) -> str:
        """The path below the project, with slashes: the test's id."""
        return self.path.relative_to(ROOT).as_posix()

    def option(self, name: str) -> tuple[str, ...]:
        """The values given to an option, in order."""
        pairs = zip(self.options, self.options[1:], strict=False)
        return tuple(value for option, value in pairs if option == name)


def read_example(path: Path) -> Example:
    """The program at `path` with what its header says; raises HeaderError for a header that cannot be read."""
    options: list[str] = []
    expectations: list[Expectation] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.startswith("//"):
            break
        key, colon, rest = line.removeprefix("//").strip().partition(":")
        if not colon:
            continue
        if key == "CIRC":
            options += shlex.split(rest)
        elif key == "EXPECT":
            expectations.append(_expectation(rest.split(), f"{path}:{number}"))
    return Example(path, tuple(options), tuple(expectations))


def _expectation(words: list[str], where: str) -> Expectation:
    match words:
        case ["violated"]:
            return Expectation("violated", ASSERTS)
        case [verdict, subject] if verdict in VERDICTS:
            misfit = "race" if subject == ASSERTS else "violated"
            if verdict == misfit:
                raise HeaderError(f"{where}: '{verdict}' does not fit '{subject}'")
            return Expectation(verdict, subject)
        case _:
            raise HeaderError(f"{where}: expected a verdict ({', '.join(VERDICTS)}) and a subject, got '{' '.join(words)}'")


def collect(*folders: Path) -> tuple[Example, ...]:
    """Every C program below the folders, sorted by path."""
    return tuple(_collect(folders or (PROGRAMS, NESC_EXAMPLES)))


def _collect(folders: tuple[Path, ...]) -> Iterator[Example]:
    for folder in folders:
        for path in sorted(folder.rglob("*.c")):
            yield read_example(path)
