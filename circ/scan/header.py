"""The header comment of an example: the options it is to be checked with, and the verdicts that are to come out.

    // CIRC: --thread worker=2 --ints math     options of `circ check`; several lines add up
    // EXPECT: safe x                          a verdict and its subject: a variable, or `asserts`

A relative path in the options is one from the folder of the file. A header is the run of `//` comments at the top of a
file. `violated` may stand alone and then means the assertions.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass

from frontend.program import FrontendError, Location

VERDICTS = ("safe", "race", "violated", "unknown")
ASSERTS = "asserts"
_PATHS = ("-I", "--interrupts")
"""Options that name a folder or a file: relative to the file in whose header they stand."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """`subject` is a variable as the user writes it (`x`, `s.f`, `a[]`), or `asserts`."""

    verdict: str
    subject: str
    location: Location


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says about itself; `location` is where its options stand."""

    options: tuple[str, ...]
    expectations: tuple[Expectation, ...]
    location: Location


def read_header(path: str, text: str) -> Header:
    """The header of a file's text; raises FrontendError for a line that does not say what it must."""
    options: list[str] = []
    expectations: list[Expectation] = []
    place: Location | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.startswith("//"):
            break
        key, colon, rest = line.removeprefix("//").strip().partition(":")
        here = Location(path, number)
        if colon and key == "CIRC":
            place = place or here
            options += _beside(_words(rest, here), os.path.dirname(path))
        elif colon and key == "EXPECT":
            expectations.append(_expectation(rest.split(), here))
    return Header(tuple(options), tuple(expectations), place or Location(path, 1))


def _words(text: str, here: Location) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise FrontendError(here, f"the options in the header cannot be read: {error}", "close the quotation") from None


def _beside(words: list[str], folder: str) -> list[str]:
    """The options with the paths in them as seen from the file that they stand in."""
    made: list[str] = []
    for before, word in zip(("", *words), words, strict=False):
        name, equals, path = word.partition("=")
        if before in _PATHS:
            word = os.path.join(folder, word)
        elif name in _PATHS and equals:
            word = f"{name}={os.path.join(folder, path)}"
        elif word.startswith("-I") and word != "-I":
            word = "-I" + os.path.join(folder, word.removeprefix("-I"))
        made.append(word)
    return made


def _expectation(words: list[str], here: Location) -> Expectation:
    match words:
        case ["violated"]:
            return Expectation("violated", ASSERTS, here)
        case [verdict, subject] if verdict in VERDICTS and verdict != ("race" if subject == ASSERTS else "violated"):
            return Expectation(verdict, subject, here)
        case _:
            raise FrontendError(here, f"an expectation is a verdict and its subject, not '{' '.join(words)}'",
                                f"for example EXPECT: safe x; verdicts are {', '.join(VERDICTS)}")
