"""What a name on the command line stands for among a program's variables."""

from __future__ import annotations

import re

from frontend.program.program import Program, Variable
from frontend.program.source import FrontendError, Location


class NoSuchVariable(FrontendError):
    """A program has no variable of that name."""


def resolve_variable(program: Program, name: str) -> tuple[Variable, ...]:
    """The variables that `-x name` means: a variable, a field `s.f`, an element `a[]`, or all parts of an object.

    A static may be written `file.c:x` or `f::x`; a plain `x` is the global of that name, or the only static called so.
    Raises NoSuchVariable if nothing is meant, FrontendError if more than one object is.
    """
    here = Location(program.file, 1)
    wanted = name.strip()
    candidates = [v for v in program.globals if v.object or not v.ghost]
    known = any(wanted.startswith(v.object) for v in candidates if "@" in v.object)  # `malloc@f:12` is no file
    named = None if known else _IN_FILE.match(wanted)
    if named is not None:
        file, wanted = named[1], wanted[named.end():]
        candidates = [v for v in candidates if v.location.file == file or v.location.file.endswith("/" + file)]
    for matches in (_exactly(candidates, wanted), _parts(candidates, wanted), _of_a_file(candidates, wanted),
                    _local(candidates, wanted)):
        if not matches:
            continue
        objects = sorted({v.object or v.name for v in matches})
        if len(objects) > 1:
            raise FrontendError(here, f"'{name}' may be any of {', '.join(objects)}", "write file.c:x or f::x")
        return tuple(matches)
    raise NoSuchVariable(here, f"there is no variable '{name}' in this program", "circ cfa shows the variables")


def _exactly(variables: list[Variable], name: str) -> list[Variable]:
    return [v for v in variables if name in (v.name, v.shown)]


_IN_FILE = re.compile(r"([^:]+):(?!:)")
"""A file, and what is in it: `file.c:x`, `file.c:f::x`."""


def _of_a_file(variables: list[Variable], name: str) -> list[Variable]:
    """Statics that are called after their file, because several files have one of that name."""
    return [v for v in variables if (named := _IN_FILE.match(v.shown)) and "@" not in named[1]
            and _tail_matches(v.shown[named.end():], name)]


def _parts(variables: list[Variable], name: str) -> list[Variable]:
    """The leaves of an object, or of a member of it."""
    return [v for v in variables if any(n == name or n.startswith((name + ".", name + "[]")) for n in (v.name, v.shown))]


def _local(variables: list[Variable], name: str) -> list[Variable]:
    """Statics of functions, named without their function."""
    return [v for v in variables for n in (v.shown or v.name,) if "::" in n and _tail_matches(n.split("::", 1)[1], name)]


def _tail_matches(tail: str, name: str) -> bool:
    return tail == name or tail.startswith((name + ".", name + "[]"))
