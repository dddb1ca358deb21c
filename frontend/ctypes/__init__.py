"""TODO frontend.ctypes."""

from frontend.ctypes.types import (
    NO_QUALS,
    ArrayType,
    CType,
    FieldDecl,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    Quals,
    Record,
    RecordType,
    VoidType,
    unqualified,
)

__all__ = [
    "ArrayType", "CType", "FieldDecl", "FloatType", "FunctionType", "IntType", "NO_QUALS", "PointerType", "Quals",
    "Record", "RecordType", "VoidType", "unqualified",
]
