"""Comments that carry meaning, as the preprocessor hands them on."""

from __future__ import annotations

from dataclasses import dataclass

from frontend.program import Location


@dataclass(frozen=True, slots=True)
class Annotation:
    """A comment that carries meaning (`//@ ...`, `/*@ ... */`, `// circ-...`), or our own attribute, where it stands."""

    text: str
    location: Location
    macros: tuple[tuple[str, str], ...] = ()
    """The names in it that are macros without parameters, and what they stand for."""
