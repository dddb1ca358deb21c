"""What can be told of a program before anything is proved: its variables, where they are declared, and who accesses them."""

from __future__ import annotations

from typing import Any

from circ.verdict import subjects
from frontend.program import Location, Program


def program_facts(program: Program) -> dict[str, Any]:
    """As plain data for JSON."""
    return {
        "fingerprint": program.fingerprint(),
        "files": list(program.files),
        "threads": [{"name": t.name, "count": t.count, "role": t.role.value, "location": place(t.location)}
                    for t in program.templates],
        "variables": [{"name": v.shown or v.name, "object": v.object, "location": place(v.location),
                       "accesses": accesses(program, v.name)} for v in subjects(program)],
    }


def accesses(program: Program, variable: str) -> list[dict[str, Any]]:
    """Each place at which a thread accesses the variable, once."""
    found: dict[tuple[str, Location, bool], dict[str, Any]] = {}
    for number, edge, access in program.accesses.get(variable, ()):
        if access.orders:
            continue
        thread, location = program.templates[number].name, access.location if access.location.line else edge.location
        found.setdefault((thread, location, access.write), {
            "thread": thread, "location": place(location), "write": access.write, "text": access.text or edge.text,
            "protected": edge.protected})
    return [found[key] for key in sorted(found, key=lambda key: (key[1], key[0], key[2]))]


def place(location: Location) -> dict[str, Any] | None:
    return None if location.line == 0 else {"file": location.file, "line": location.line, "column": location.column}
