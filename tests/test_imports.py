"""The rooms: every module is in one, a contract says what it may import, and what others use of it is what it offers."""

from __future__ import annotations

import ast
import functools
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from circ import engines

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
MODULES = sorted(p for package in ("circ", "frontend") for p in (ROOT / package).rglob("*.py"))
ENGINES = [entry.module for entry in engines.ENGINES]
"""Imported by their names."""
OPTIONAL = ("bdd", "cluster", "draw", "lsp")
"""The extras that some of our modules need, and do without where they are missing."""
ROOMS = [p.parent for p in MODULES if p.name == "__init__.py"]


def dotted(path: Path) -> str:
    """The name by which a module or room is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@functools.cache
def imports(path: Path) -> tuple[str, ...]:
    """What a module imports: modules, and names from modules as `module.name`."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                yield from (n.name for n in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                yield from (f"{module}.{n.name}" for n in names)
            case ast.ImportFrom(level=level) if level:
                raise AssertionError(f"{path}: relative import")


def within(name: str, *packages: str) -> bool:
    return any(name == p or name.startswith(p + ".") for p in packages)


# ------------------------------------------------------------------------------------------------ contracts
def layers() -> dict[str, set[str]]:
    """For each package whose layers a contract lists exhaustively, the layers."""
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    return {container: {name.strip() for layer in c["layers"] for name in layer.split("|")}
            for c in contracts if c["type"] == "layers" and c.get("exhaustive") for container in c["containers"]}


@pytest.mark.parametrize("package", ["circ", "frontend", "circ.kernel"])
def test_a_contract_covers_every_module(package: str) -> None:
    below = {name.removeprefix(package + ".").split(".")[0] for name in map(dotted, MODULES) if name.startswith(package + ".")}
    assert layers()[package] == below


def test_every_folder_with_modules_is_a_room() -> None:
    assert sorted({p.parent for p in MODULES} - set(ROOMS)) == []


@pytest.mark.parametrize(("folder", "allowed"), [
    ("frontend", ["frontend"]),
    ("circ/kernel", ["frontend.program", "circ.smt", "circ.evidence", "circ.semantics", "circ.views", "circ.kernel"]),
    ("circ/semantics", ["frontend.program", "frontend.annotations.attached", "circ.evidence", "circ.semantics"]),
    ("circ/views", ["frontend.program", "circ.verdict", "circ.evidence", "circ.semantics", "circ.views"]),
    ("circ/smt", ["frontend.program", "z3", "circ.smt"]),
    ("circ/report", ["frontend.FrontendError", "frontend.LoadOptions", "frontend.program", "circ.verdict", "circ.semantics",
                     "circ.report"]),
])
def test_only_what_the_design_allows(folder: str, allowed: list[str]) -> None:
    """The parts whose independence is a matter of trust, by a list of what of ours, or of the solver, they may import.

    `frontend.records` is how data classes are declared, for all alike.
    """
    assert sorted(
        f"{path.relative_to(ROOT)} imports {name}"
        for path in MODULES if path.is_relative_to(ROOT / folder)
        for name in imports(path) if within(name, "circ", "frontend", "z3") and not within(name, "frontend.records", *allowed)
    ) == []


@pytest.mark.parametrize("folder", ["circ/kernel", "circ/views", "circ/semantics"])
def test_what_is_trusted_does_not_interpolate(folder: str) -> None:
    assert [str(p) for p in MODULES if p.is_relative_to(ROOT / folder) for name in imports(p)
            if within(name, "circ.smt.interpolation")] == []


def test_one_room_imports_the_solver() -> None:
    users = {dotted(p) for p in MODULES if any(within(name, "z3") for name in imports(p))}
    assert users and all(within(user, "circ.smt") for user in users)


# ------------------------------------------------------------------------------------------------ rooms
@pytest.mark.parametrize("room", ROOMS, ids=dotted)
def test_a_room_is_small(room: Path) -> None:
    assert len([p for p in room.glob("*.py") if p.name != "__init__.py"]) <= 15


def offers(room: Path) -> set[str] | None:
    """The names and modules that a room has for others; None if it does not say."""
    for node in ast.parse((room / "__init__.py").read_text()).body:
        match node:
            case ast.Assign(targets=[ast.Name("__all__")], value=value):
                return set(ast.literal_eval(value))
    return None


@pytest.mark.parametrize("room", [room for room in ROOMS if room.parent != ROOT], ids=dotted)
def test_a_room_says_what_it_is_for(room: Path) -> None:
    """What comes in, what goes out and what it may not know: more than a heading."""
    words = ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or ""
    assert "TODO" not in words and len(words.split()) >= 25


@pytest.mark.parametrize("room", [room for room in ROOMS if room.parent != ROOT], ids=dotted)
def test_others_use_only_what_a_room_offers(room: Path) -> None:
    name, offered = dotted(room), offers(room)
    assert offered is not None, "no __all__"
    assert sorted(
        f"{dotted(path)} imports {used}"
        for path in MODULES if not within(dotted(path), name)
        for used in imports(path) if used.startswith(name + ".") and used.removeprefix(name + ".").split(".")[0] not in offered
    ) == []


@pytest.mark.parametrize("room", [room for room in ROOMS if room.parent != ROOT], ids=dotted)
def test_a_room_offers_no_module_that_nobody_uses(room: Path) -> None:
    name, inside = dotted(room), {p.stem for p in room.glob("*.py")} | {p.parent.name for p in room.glob("*/__init__.py")}
    used = {used.removeprefix(name + ".").split(".")[0] for path in MODULES if not within(dotted(path), name)
            for used in (*imports(path), *ENGINES) if used.startswith(name + ".")}
    assert sorted((offers(room) or set()) & inside - used) == []


# ------------------------------------------------------------------------------------------------ names in words
def resolves(name: str) -> bool:
    """Whether a dotted name means a module of ours or something in one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[length:]:
            if not hasattr(found, attribute):
                return attribute in getattr(found, "__dataclass_fields__", {})
            found = getattr(found, attribute)
        return True
    return False


def test_docstrings_and_documents_name_what_is_there() -> None:
    texts = [*MODULES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    named = {(path, m[1]) for path in texts for m in re.finditer(r"`((?:circ|frontend)(?:\.\w+)+)`", path.read_text())}
    assert len(named) > 50
    assert sorted(f"{path.relative_to(ROOT)}: {name}" for path, name in named if name not in ("circ.h", "circ.toml") and not resolves(name)) == []


# ------------------------------------------------------------------------------------------------ others' packages
def test_what_is_imported_from_outside_is_what_is_declared() -> None:
    """`pip install circ` brings all that is imported, and nothing else; what is optional is named so."""
    optional = [d for extra, wanted in PROJECT["project"]["optional-dependencies"].items() if extra in OPTIONAL for d in wanted]
    declared = {re.split(r"[^\w-]", d)[0] for d in (*PROJECT["project"]["dependencies"], *optional)}
    found = {name.split(".")[0] for path in MODULES for name in imports(path)}
    assert found - {"circ", "frontend"} - set(sys.stdlib_module_names) == {{"z3-solver": "z3", "PyYAML": "yaml"}.get(d, d) for d in declared}


def test_the_command_line_starts_without_the_heavy_packages() -> None:
    """`circ --help` reads no program and proves nothing, so neither the parser nor the solver is loaded for it."""
    code = "import sys; from circ import cli; print(*sorted({n.split('.')[0] for n in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not {"z3", "pycparser", "networkx", "pygraphviz", "dd"} & set(done.stdout.split())


def test_help_needs_neither_parser_nor_analysis() -> None:
    """`circ --help` and `circ engines` start without what reads programs or answers questions."""
    code = "import sys; from circ import cli; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    late = {"pycparser", "frontend.ir", "frontend.lower", "frontend.link", "circ.run.check", "circ.static"}
    assert not late & set(done.stdout.split())
