"""What the documents show is what happens: their commands are run and their output compared.

In `README.md`, `CONTRIBUTING.md` and `docs/*.md`, a fenced block whose first line is `$ command` shows commands, each followed by
what it prints (progress and errors aside); a line `...` stands for any number of lines. A fenced block of `c` or `python` whose first line is a comment with
a file's name (`// counter.c`, `# first.py`) is that file. The blocks under one heading are run in order in one folder.

`python -m tests.support.shown [PAGE...]` writes what the commands print now into the documents, except where `...` stands.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))

_PART = re.compile(r"^##? (?P<heading>.*)$|^```(?P<language>\w*)\n(?P<text>(?:.*\n)*?)```$", re.M)
_FILE = re.compile(r"(?://|#) (\w+\.(?:c|py))\n")
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
_SIZES = re.compile(r"\((?:omega-circ|static|explicit), .*\)|  the proof rests on .*")
_SECONDS = re.compile(r" *\b\d+\.\d+ s\b| +time$", re.M)


@dataclass(frozen=True, slots=True)
class File:
    """A file that a document shows, and that commands after it use."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command and what the document says it prints."""

    text: str
    output: str


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading of a document, in order."""

    document: str
    heading: str
    parts: tuple[File | Command, ...]

    def __str__(self) -> str:
        return f"{self.document}: {self.heading}"


def sections(document: Path) -> list[Section]:
    """The sections of a document that show a command."""
    found: list[Section] = []
    for part in _PART.finditer(document.read_text()):
        if part["heading"] is not None:
            found.append(Section(document.name, part["heading"], ()))
            continue
        parts: tuple[File | Command, ...] = ()
        if named := _FILE.match(part["text"]):
            parts = (File(named[1], part["text"]),)
        elif not part["language"] and part["text"].startswith("$ "):
            parts = tuple(Command(m[1], m[2]) for m in _COMMAND.finditer(part["text"]))
        found[-1] = replace(found[-1], parts=(*found[-1].parts, *parts))
    return [section for section in found if any(isinstance(p, Command) for p in section.parts)]


def run(section: Section, folder: Path) -> list[tuple[Command, str]]:
    """Each command of a section with what it prints, run in `folder` as if that were the top of a checkout."""
    for name in ("docs", "nesc_examples", "tests"):
        (folder / name).symlink_to(ROOT / name)
    if any(isinstance(p, Command) and "frontend/" in p.text for p in section.parts):
        # What is run here is what is found here, so a section may change it.
        shutil.copytree(ROOT / "frontend", folder / "frontend", ignore=shutil.ignore_patterns("__pycache__"))
    programs = folder / "bin"
    programs.mkdir()
    (programs / "circ").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m circ "$@"\n')
    (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    for program in programs.iterdir():
        program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": f"{ROOT}",
                   "TMPDIR": f"{folder}", "LC_ALL": "C"}
    printed = []
    for part in section.parts:
        match part:
            case File(name, text):
                (folder / name).write_text(text)
            case Command(text):
                done = subprocess.run(["sh", "-c", text], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
                printed.append((part, done.stdout))
    return printed


def essence(text: str) -> str:
    """An output without what may change with every improvement of an engine: times, and the sizes of a proof."""
    return _SECONDS.sub("0 s", _SIZES.sub("", text))


def agrees(shown: str, printed: str) -> bool:
    """Whether a command prints what a document shows."""
    pattern = "".join(r"(?:.*\n)*" if line == "...\n" else re.escape(line) for line in essence(shown).splitlines(keepends=True))
    return re.fullmatch(pattern, essence(printed)) is not None


def update(document: Path) -> None:
    """Write into a document what its commands print now."""
    text, at = document.read_text(), 0
    for section in sections(document):
        with tempfile.TemporaryDirectory() as folder:
            for command, printed in run(section, Path(folder)):
                before = f"$ {command.text}\n{command.output}"
                after = before if "...\n" in command.output else f"$ {command.text}\n{printed}"
                at = text.index(before, at)
                text = f"{text[:at]}{after}{text[at + len(before):]}"
                at += len(after)
    document.write_text(text)


if __name__ == "__main__":
    for each in ([Path(p).resolve() for p in sys.argv[1:]] or DOCUMENTS):
        update(each)
