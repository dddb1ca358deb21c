"""The header comment of a file: how it is to be read, what is asked of it, and the verdicts that are to come out.

    // CIRC: --thread worker=2 --ints math     options of `circ check`; several lines add up
    // EXPECT: safe x                          a verdict and its subject: a variable, or `asserts`

A header is the run of `//` comments at the top of a file. It is written by whoever wrote the file, who need not be whoever runs
circ: so only options that can neither run nor write anything are obeyed (`READING` and `ASKING`), and paths in them, which start
from the folder of the file, must lie inside the project that is scanned. Anything else is refused, with its place.
`violated` may stand alone and then means the assertions; of a variable it means its atomicity.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from circ.verdict import POSSIBLE, Property
from frontend.program import FrontendError, Location, OptionError, read_source
from frontend.records import dataclass

VERDICTS = ("safe", "race", "violated", POSSIBLE, "unknown")
ASSERTS = str(Property.ASSERTS)

READING = ("--thread", "--entry", "-D", "-U", "-I", "--data-model", "--ints", "--race-model", "--preemption", "--cores",
           "--platform", "--interrupts", "--ignore-norace")
"""Options that say how the program is to be read."""

ASKING = ("-x", "--property", "--engine")
"""Options that say what is asked of it, and whom; a property is one of our words here, never a file."""

_PATHS = ("-I", "--interrupts")
_FLAGS = ("--ignore-norace",)


@dataclass(frozen=True, slots=True)
class HeaderOption:
    """An option that a header may have; a path is as seen from where we are. `value` is empty for a flag."""

    name: str
    value: str
    location: Location

    @property
    def words(self) -> tuple[str, ...]:
        """As on a command line."""
        return (self.name,) if self.name in _FLAGS else (self.name, self.value)


@dataclass(frozen=True, slots=True)
class Expectation:
    """`subject` is a variable as the user writes it (`x`, `s.f`, `a[]`), or `asserts`."""

    verdict: str
    subject: str
    location: Location


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says about itself."""

    options: tuple[HeaderOption, ...] = ()
    expectations: tuple[Expectation, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The options as on a command line."""
        return tuple(word for option in self.options for word in option.words)

    def located(self, error: FrontendError) -> FrontendError:
        """The error, with its place if it is about an option that stands here."""
        for option in self.options:
            if isinstance(error, OptionError) and (option.name, option.value) == (error.name, error.value):
                return refused(option, error.message, error.hint)
        return error


def refused(option: HeaderOption, message: str, hint: str = "") -> FrontendError:
    """The error for an option of a header that makes no sense."""
    return FrontendError(option.location, f"in the file's own options: {message}", hint)


def header_of(path: str, project: str | None = None) -> Header:
    """The header of a file, whose own folder is the project if none is named. One that cannot be read has none, which reading it
    as C will tell; nor has a pipe, which can be read once, and is so under the limits."""
    try:
        text = read_source(path, again=True)
    except (FrontendError, OSError):
        return Header()
    return read_header(path, text, project or os.path.dirname(path) or ".")


_MOST, _LONGEST = 2_000, 10_000
"""Options and expectations of a header, and characters of a line of it."""


def read_header(path: str, text: str, project: str) -> Header:
    """The header of a file's text; `project` is the folder that paths must lie in.

    Raises FrontendError for a line that does not say what it must, or says what it may not.
    """
    options: list[HeaderOption] = []
    expectations: list[Expectation] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.startswith("//"):
            break
        if len(line) > _LONGEST or len(options) + len(expectations) > _MOST:
            raise FrontendError(Location(path, number), "the header is too long",
                                f"at most {_MOST} options and expectations, in lines of at most {_LONGEST} characters")
        key, colon, rest = line.removeprefix("//").strip().partition(":")
        if colon and key == "CIRC":
            options += _options(_words(rest, Location(path, number, len(line.rstrip()) - len(rest.rstrip()) + 1)), project)
        elif colon and key == "EXPECT":
            expectations.append(_expectation(rest.split(), Location(path, number)))
    return Header(tuple(options), tuple(expectations))


# --------------------------------------------------------------------------------------------------- options
@dataclass(frozen=True, slots=True)
class _HeaderWord:
    text: str
    location: Location


def _words(text: str, start: Location) -> Iterator[_HeaderWord]:
    """The words of a line as a shell would split them, without anything else that a shell does."""
    word, begin, quote = "", -1, ""
    i = 0
    while i < len(text):
        c = text[i]
        if begin < 0 and not c.isspace():
            begin = i
        if c == "\\" and quote != "'" and i + 1 < len(text):
            i += 1
            word += text[i] if not quote or text[i] in '"\\' else "\\" + text[i]
        elif quote:
            word, quote = (word, "") if c == quote else (word + c, quote)
        elif c in "'\"":
            quote = c
        elif not c.isspace():
            word += c
        elif begin >= 0:
            yield _HeaderWord(word, _at(start, begin))
            word, begin = "", -1
        i += 1
    if quote:
        raise FrontendError(_at(start, begin), "the options in the header cannot be read: no closing quotation",
                            "close the quotation")
    if begin >= 0:
        yield _HeaderWord(word, _at(start, begin))


def _at(start: Location, offset: int) -> Location:
    return Location(start.file, start.line, start.column + offset)


def _options(words: Iterator[_HeaderWord], project: str) -> Iterator[HeaderOption]:
    for word in words:
        name, value = _split(word.text)
        if name not in (*READING, *ASKING):
            raise FrontendError(word.location, f"a file's header may not say '{word.text}'",
                                f"give it on the command line; a header says {', '.join((*READING, *ASKING))}")
        if name in _FLAGS:
            if value is not None:
                raise FrontendError(word.location, f"'{name}' takes no value", "remove it")
            yield HeaderOption(name, "", word.location)
            continue
        if value is None:
            following = next(words, None)
            if following is None:
                raise FrontendError(word.location, f"'{name}' takes a value", "name it")
            value = following.text
        if name == "--property" and value.endswith(".prp"):
            raise FrontendError(word.location, "a file's header may not name a property file", "say races, asserts or all")
        yield HeaderOption(name, _inside(value, project, word.location) if name in _PATHS else value, word.location)


def _split(word: str) -> tuple[str, str | None]:
    """`--name=value` and `-Xvalue` in two."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return name, value if equals else None
    return word[:2], word[2:] or None


def _inside(path: str, project: str, place: Location) -> str:
    """The path as seen from the folder of the file; links do not lead it out of the project."""
    here = os.path.join(os.path.dirname(place.file), path)
    root = os.path.realpath(project)
    if "\0" in path or os.path.commonpath([root, os.path.realpath(here)]) != root:
        raise FrontendError(place, f"'{path}' in a file's header lies outside of '{project}', which is scanned",
                            "scan the folder that has both, or give it on the command line")
    return here


# --------------------------------------------------------------------------------------------------- expectations
def _expectation(words: list[str], here: Location) -> Expectation:
    match words:
        case ["violated"]:
            return Expectation("violated", ASSERTS, here)
        case ["possible", "race", subject] if subject != ASSERTS:
            return Expectation(POSSIBLE, subject, here)
        case [verdict, subject] if verdict in VERDICTS and (verdict, subject) != ("race", ASSERTS):
            return Expectation(verdict, subject, here)
        case _:
            raise FrontendError(here, f"an expectation is a verdict and its subject, not '{' '.join(words)}'",
                                f"for example EXPECT: safe x; verdicts are {', '.join(VERDICTS)}")
