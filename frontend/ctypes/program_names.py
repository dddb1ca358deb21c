"""What one file's names are called in a program of several files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from frontend.program import FrontendError, Location
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class ProgramNames:
    """The names of one file as the whole program knows them; of a program of one file they are the names as written.

    A name with internal linkage that another file uses too is `file.c:name`; every other name is itself. Another name of an
    object or function (`alias`, an assembler's name) is that object's or function's name.
    """

    label: str = ""
    """The file, in a few characters that no other file of the program has."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Names of file scope that are called otherwise in the program."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The program's keys of structs and unions by the file's own ones."""
    defined: frozenset[str] = frozenset()
    """External functions and objects that another file defines."""
    hidden: Mapping[str, Location] = field(default_factory=dict)
    """Names that another file has for itself alone, as they are written."""

    def of(self, name: str) -> str:
        """The program's name for a name of file scope."""
        return self.renamed.get(name, name)

    def external(self, name: str, where: Location) -> str:
        """The program's name for one that the file declares in no way, or in a block: it has external linkage."""
        if name in self.hidden:
            raise FrontendError(where, f"'{name}' is not declared at file level here, and static at {self.hidden[name]}",
                                "declare it at file level")
        return self.of(name)

    def key(self, key: str, owner: str) -> str:
        """The program's key of a struct or union; `owner` is the function that it is declared in, if any."""
        if not self.label or owner:
            return key
        return self.keys.get(key, f"{self.label}:{key}")


AS_WRITTEN = ProgramNames()
