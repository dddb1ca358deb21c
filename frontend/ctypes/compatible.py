"""Whether two types are compatible: C11 6.2.7; structs and unions of two files by their structure."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import starmap

from frontend.ctypes.conversions import strip
from frontend.ctypes.types import (
    ArrayType,
    CType,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    Record,
    RecordType,
    VoidType,
)

ANONYMOUS = "<anon>"


def tag_of(key: str) -> str:
    """The tag of a struct or union by its key, which tells apart files, functions and structs of one tag."""
    return key.rpartition(":")[2].partition("#")[0]


class Compatibility:
    """Compares types of one file with those of another; what was found to be compatible is remembered."""

    def __init__(self, left: Mapping[str, Record], right: Mapping[str, Record], one_file: bool = False) -> None:
        """`one_file`: both types are of the same file, in which each struct or union is a type of its own."""
        self._left = left
        self._right = right
        self._one_file = one_file
        self._known: set[tuple[str, str]] = set()
        self._assumed: set[tuple[str, str]] = set()

    def __call__(self, a: CType, b: CType) -> bool:
        """Whether the types are compatible; of two structs that contain each other, it is assumed while they are compared."""
        self._assumed = set()
        if not self._same(a, b):
            return False
        self._known |= self._assumed
        return True

    def _same(self, a: CType, b: CType) -> bool:
        match a, b:
            case ArrayType(element=e, length=n), ArrayType(element=f, length=m):
                return (n is None or m is None or n == m) and self._same(e, f)
            case _ if a.quals != b.quals:
                return False
            case (VoidType(), VoidType()):
                return True
            case (IntType(), IntType()) | (FloatType(), FloatType()):
                return a == b
            case PointerType(target=t), PointerType(target=u):
                return self._same(t, u)
            case FunctionType(), FunctionType():
                return self._functions(a, b)
            case RecordType(), RecordType():
                return a.union == b.union and self._records(a.key, b.key)
        return False

    def _functions(self, a: FunctionType, b: FunctionType) -> bool:
        if not self._same(strip(a.result), strip(b.result)):
            return False
        if any(f.variadic and not f.params for f in (a, b)):
            return True  # one of them says nothing of its parameters
        return a.variadic == b.variadic and len(a.params) == len(b.params) and all(
            self._same(strip(p), strip(q)) for p, q in zip(a.params, b.params, strict=True))

    def _records(self, a: str, b: str) -> bool:
        if self._one_file or tag_of(a) != tag_of(b):
            return a == b
        if (a, b) in self._known or (a, b) in self._assumed:
            return True
        left, right = self._left.get(a), self._right.get(b)
        if left is None or right is None:
            return tag_of(a) != ANONYMOUS  # incomplete in one of the files
        self._assumed.add((a, b))
        if (left.size, left.align, len(left.fields)) != (right.size, right.align, len(right.fields)):
            return False
        return all((f.name, f.offset, f.bits, f.bit_offset, f.apart) == (g.name, g.offset, g.bits, g.bit_offset, g.apart)
                   for f, g in zip(left.fields, right.fields, strict=True)) and all(
            starmap(self._same, ((f.type, g.type) for f, g in zip(left.fields, right.fields, strict=True))))
