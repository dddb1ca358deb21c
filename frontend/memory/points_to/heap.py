"""Allocation sites: how much they ask for, and what the program uses the memory as."""

from __future__ import annotations

from collections.abc import Mapping

from frontend.ctypes import CType, FunctionType, IntType, RecordType, VoidType
from frontend.ir import Call, Module, Place
from frontend.ir.library_table import STREAMS
from frontend.program import Const
from frontend.program.fold import fold

_STREAM = 4096
"""Room for a stream, whatever a library has in it."""
_TEXTS = ("strdup@", "strndup@")
"""Allocations of text: pointers in it, to it or beside it that are taken for other ones do not say what it is."""


def allocated(call: Call, callee: str) -> int | None:
    """How many bytes an allocation asks for, if that is a constant."""
    if callee in STREAMS:
        return _STREAM
    positions = {"malloc": (0,), "calloc": (0, 1), "realloc": (1,), "aligned_alloc": (1,), "valloc": (0,), "alloca": (0,),
                 "__builtin_alloca": (0,)}.get(callee)
    if positions is None or len(call.args) <= max(positions):
        return None
    total = 1
    for p in positions:
        argument = call.args[p]
        folded = None if isinstance(argument, Place) else fold(argument)
        if not isinstance(folded, Const) or folded.value <= 0:
            return None
        total *= folded.value
    return total


def heap_types(heaps: Mapping[str, int | None], pointed: Mapping[str, Mapping[CType, None]], module: Module) -> dict[str, CType]:
    """The type that the program uses the memory of each allocation site as, where it has one.

    `heaps`: the size asked for at each site, `pointed`: the types of the pointers through which its memory is accessed.
    """
    chosen: dict[str, CType] = {}
    for name, size in heaps.items():
        if name.startswith(_TEXTS):
            chosen[name] = IntType("char", 8, True)
            continue
        types = [t for t in pointed.get(name, {}) if not isinstance(t, VoidType | FunctionType)]
        types = [t for t in types if not (isinstance(t, RecordType) and t.key not in module.records)]
        fitting = [t for t in types if size is not None and module.sizeof(t) == size]
        records = [t for t in types if isinstance(t, RecordType)]
        best = fitting or sorted(records, key=module.sizeof, reverse=True) or sorted(types, key=module.sizeof, reverse=True)
        if best:
            chosen[name] = best[0]
    return chosen
