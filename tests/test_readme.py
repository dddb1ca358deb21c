"""What the README, CONTRIBUTING and the pages in docs/ show is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from circ.cli import app
from tests.support.shown import DOCUMENTS, ROOT, Command, Section, agrees, run, sections

SECTIONS = [section for document in DOCUMENTS for section in sections(document)]


@pytest.mark.parametrize("section", SECTIONS, ids=str)
def test_output_shown(section: Section, tmp_path: Path) -> None:
    for command, printed in run(section, tmp_path):
        assert agrees(command.output, printed), f"$ {command.text}\n{printed}"


def test_something_is_shown() -> None:
    commands = [p for s in SECTIONS if s.document == "README.md" for p in s.parts if isinstance(p, Command)]
    assert len(commands) >= 3
    assert {s.document for s in SECTIONS} >= {"README.md", "CONTRIBUTING.md", "engines.md", "library.md", "usage.md", "verify.md"}


def test_a_line_of_dots_stands_for_any_lines() -> None:
    assert agrees("a\n...\nd\n", "a\nb\nc\nd\n") and agrees("...\n", "") and agrees("took 1.5 s\n", "took 2.25 s\n")
    assert not agrees("a\n", "a\nb\n") and not agrees("a\n...\n", "b\na\n")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_links_and_paths_lead_somewhere(document: Path) -> None:
    """Links between the pages, and every file or folder of ours that is named."""
    text = document.read_text()
    assert re.findall(r"`(?!__init__)\w+\.py`", text) == [], "name the folder, too"
    links = {document.parent / target for target in re.findall(r"\]\(([^):#]+)(?:#[^)]*)?\)", text)}
    named = {ROOT / path for path in re.findall(r"`((?:circ|frontend|tests|benchmarks|docs|nesc_examples)/[\w./-]*)`", text)}
    assert sorted(str(p) for p in links | named if not p.exists()) == []


def test_options_that_are_told_of_exist() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    known = {option for command in commands.values() for parameter in command.params for option in parameter.opts} | {"--help"}
    texts = {d.name: d.read_text() for d in DOCUMENTS if d.name != "CONTRIBUTING.md"}
    told = {(name, option) for name, text in texts.items() for option in re.findall(r"`(?:circ \w+ )?(--[a-z-]+)", text)}
    assert len(told) > 30 and sorted((name, option) for name, option in told if option not in known) == []


def test_what_the_makefile_runs_is_there() -> None:
    text = (ROOT / "Makefile").read_text()
    modules = [m.replace(".", "/") for m in re.findall(r"python -m (tests[.\w]+)", text)]
    modules = [f"{m}/__main__.py" if (ROOT / m).is_dir() else f"{m}.py" for m in modules]
    named = [*modules, *re.findall(r"(?:benchmarks|nesc_examples)/\w+\.(?:py|c)", text)]
    assert len(named) > 5 and [name for name in named if not (ROOT / name).is_file()] == []


def test_the_readme_is_short_and_lists_every_page() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 115
    assert [p.name for p in DOCUMENTS if p.parent == ROOT / "docs" and f"](docs/{p.name})" not in text] == []
