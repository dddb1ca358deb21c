"""In which form a report is written, and which of its findings make a run fail."""

from __future__ import annotations

from enum import StrEnum


class ReportForm(StrEnum):
    """The forms that `--format` names; all of them are there for one program and for many."""

    TEXT = "text"
    GCC = "gcc"
    JSON = "json"
    HTML = "html"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"
    CODE_CLIMATE = "codeclimate"
    CSV = "csv"
    MARKDOWN = "md"

    @property
    def is_document(self) -> bool:
        """Whether it is one document for another program or a browser, which a scan writes to `-o`."""
        return self in (ReportForm.HTML, ReportForm.SARIF, ReportForm.JUNIT, ReportForm.GITHUB, ReportForm.CODE_CLIMATE)

    @property
    def told_at_once(self) -> bool:
        """Whether each answer is written as soon as it is there; the other forms are one document."""
        return self in (ReportForm.TEXT, ReportForm.GCC)


class FailOn(StrEnum):
    """The least that makes a run fail: what is worse does so, too."""

    RACE = "race"
    POSSIBLE = "possible"
    UNKNOWN = "unknown"


class When(StrEnum):
    """When colours are used: `auto` is on a terminal, unless NO_COLOR says otherwise."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Explain(StrEnum):
    """How much is said about why a variable is safe: nothing, a sentence or two, or also predicates and automata."""

    NOTHING = "nothing"
    WORDS = "words"
    FULL = "full"
