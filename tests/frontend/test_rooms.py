"""The rooms of the front end: what a folder's `__all__` names is what other folders import."""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
from pathlib import Path

import pytest

import frontend

ROOT = Path(frontend.__file__).parent.parent
ROOMS = ("annotations", "ctypes", "ir", "lower", "memory", "program", "text")


@functools.cache
def imports() -> tuple[tuple[Path, str, str], ...]:
    """Every `from frontend... import name`: in which file, from where, what."""
    found = []
    for path in [*ROOT.glob("frontend/**/*.py"), *ROOT.glob("circ/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("frontend."):
                found.extend((path, node.module, alias.name) for alias in node.names)
    return tuple(found)


def imported(room: str) -> dict[str, str]:
    """What modules of other rooms import from a room: names of it or modules in it, each with one that does."""
    found: dict[str, str] = {}
    for path, module, name in imports():
        if f"{module}.".startswith(f"frontend.{room}.") and not path.is_relative_to(ROOT / "frontend" / room):
            inner = module.removeprefix(f"frontend.{room}").lstrip(".")
            found.setdefault(inner.split(".")[0] or name, str(path.relative_to(ROOT)))
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_only_what_a_room_exports_is_imported(room: str) -> None:
    package = importlib.import_module(f"frontend.{room}")
    behind = {name: by for name, by in imported(room).items() if name not in package.__all__}
    assert not behind, f"not exported by frontend.{room}"


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_exports_no_module_that_nobody_imports(room: str) -> None:
    package = importlib.import_module(f"frontend.{room}")
    modules = {m.name for m in pkgutil.iter_modules(package.__path__)}
    assert not [name for name in package.__all__ if name in modules and name not in imported(room)]
