"""C's types: declarations in; types, their layout in memory, conversions between them and constants out.

`declarations` reads types from the AST, `layout` gives sizes and offsets under a data model, `conversions` the rules of the usual
arithmetic conversions, `scope` what names mean, `linkage` and `program_names` what they are to
other files. It may not know of instructions, functions' bodies or objects of the program.
"""

from frontend.ctypes.types import (
    NO_QUALS,
    VECTOR,
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
    "Record", "RecordType", "VECTOR", "VoidType", "unqualified",
    # modules
    "compatible", "conversions", "declarations", "linkage", "literals", "program_names", "scope",
]
