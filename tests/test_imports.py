"""What may import what: the parts whose independence is a matter of trust, told by a list of what is allowed."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                yield from (n.name for n in names)
            case ast.ImportFrom(module=str(module), names=names, level=0):
                yield from ([f"circ.{n.name}" for n in names] if module == "circ" else [module])
            case ast.ImportFrom(level=level) if level:
                raise AssertionError(f"{path}: relative import")


def foreign(folder: str, *allowed: str) -> list[str]:
    """Imports of our own packages or of the solver in `folder` that start with none of the allowed names."""
    return sorted(
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (ROOT / folder).rglob("*.py")
        for name in imports(path)
        if name.split(".")[0] in ("circ", "frontend", "z3") and not any(name == a or name.startswith(a + ".") for a in allowed)
    )


@pytest.mark.parametrize(("folder", "allowed"), [
    ("frontend", ["frontend"]),
    ("circ/kernel", ["frontend.program", "circ.smt", "circ.verdict", "circ.semantics", "circ.views", "circ.kernel"]),
    ("circ/semantics", ["frontend.program", "frontend.annotations.two_state", "circ.verdict", "circ.semantics"]),
    ("circ/views", ["frontend.program", "frontend.ir.components", "circ.verdict", "circ.semantics", "circ.views"]),
    ("circ/smt", ["frontend.program", "z3", "circ.smt"]),
    ("circ/report", ["frontend", "circ.verdict", "circ.semantics", "circ.report"]),
])
def test_only_what_the_design_allows(folder: str, allowed: list[str]) -> None:
    assert foreign(folder, *allowed) == []


def test_one_room_imports_the_solver() -> None:
    users = {str(p.relative_to(ROOT)) for p in (ROOT / "circ").rglob("*.py") if "z3" in {n.split(".")[0] for n in imports(p)}}
    assert users == {f"circ/smt/{name}.py" for name in ("terms", "encoder", "solver", "interpolation")}


def test_what_is_imported_from_outside_is_what_is_declared() -> None:
    """`pip install circ` brings all that is imported, and nothing else."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {re.split(r"[^\w-]", d)[0] for d in project["dependencies"]}
    found = {n.split(".")[0] for folder in ("circ", "frontend") for p in (ROOT / folder).rglob("*.py") for n in imports(p)}
    assert found - {"circ", "frontend"} - set(sys.stdlib_module_names) == {"z3" if d == "z3-solver" else d for d in declared}
