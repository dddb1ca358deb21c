"""What names mean: entities, tags, and nested scopes."""

from __future__ import annotations

from typing import TypeAlias

from frontend.ctypes.types import CType, FunctionType, IntType, RecordType
from frontend.program import Expr, Var
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class RegisterName:
    """A local that is a register. `value`: of a `const` one with a constant initialiser."""

    var: Var
    type: CType
    value: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryName:
    """An object in memory, by the name of its symbol.

    `size`: in bytes, of an array of variable length. `value`: of a `const` scalar with a constant initialiser.
    """

    symbol: str
    type: CType
    size: Expr | None = None
    value: int | None = None


@dataclass(frozen=True, slots=True)
class FunctionName:
    name: str
    type: FunctionType


@dataclass(frozen=True, slots=True)
class ConstantName:
    """An enumeration constant."""

    value: int
    type: IntType


@dataclass(frozen=True, slots=True)
class TypeName:
    """A typedef. `size`: of an array of variable length. `align`: an alignment its declaration asks for, 0 if none."""

    type: CType
    size: Expr | None = None
    align: int = 0


Entity: TypeAlias = RegisterName | MemoryName | FunctionName | ConstantName | TypeName


def is_constant(entity: Entity | None) -> bool:
    """Whether the name stands for a known value."""
    return isinstance(entity, ConstantName) or (isinstance(entity, (RegisterName, MemoryName)) and entity.value is not None)


class Scope:
    """Names and tags of a block, and the scope around it. `owner` is the function's name, empty at file scope."""

    def __init__(self, parent: Scope | None, owner: str = "") -> None:
        self.parent = parent
        self.owner: str = owner or (parent.owner if parent is not None else "")
        self.names: dict[str, Entity] = {}
        self.tags: dict[str, RecordType | IntType] = {}

    def local_name(self, name: str) -> Entity | None:
        """What the name means in this very scope."""
        return self.names.get(name)

    def local_tag(self, name: str) -> RecordType | IntType | None:
        return self.tags.get(name)

    def find(self, name: str) -> Entity | None:
        """What the name means here."""
        scope: Scope | None = self
        while scope is not None:
            entity = scope.local_name(name)
            if entity is not None:
                return entity
            scope = scope.parent
        return None

    def find_tag(self, name: str) -> RecordType | IntType | None:
        scope: Scope | None = self
        while scope is not None:
            tag = scope.local_tag(name)
            if tag is not None:
                return tag
            scope = scope.parent
        return None
