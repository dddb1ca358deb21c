"""The C programs with known verdicts: what their header comments say (`circ.scan.header`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from circ.scan.header import ASSERTS, VERDICTS, Expectation, read_header
from circ.verdict import POSSIBLE, Answer, word

__all__ = ["ASSERTS", "NESC_EXAMPLES", "PROGRAMS", "ROOT", "VERDICTS", "Example", "Expectation", "collect", "decided",
           "read_example"]

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "programs"
NESC_EXAMPLES = ROOT / "nesc_examples"


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
    """The program at `path` with what its header says."""
    header = read_header(str(path), path.read_text(encoding="utf-8"), str(path.parent))
    return Example(path, header.words, header.expectations)


def collect(*folders: Path) -> tuple[Example, ...]:
    """Every C program below the folders, sorted by path."""
    return tuple(_collect(folders or (PROGRAMS, NESC_EXAMPLES)))


def _collect(folders: tuple[Path, ...]) -> Iterator[Example]:
    for folder in folders:
        for path in sorted(folder.rglob("*.c")):
            yield read_example(path)


def decided(answer: Answer) -> str:
    """The verdict's word, `unknown` for what is merely a possible race."""
    said = word(answer.question, answer.verdict)
    return "unknown" if said == POSSIBLE else said
