"""The objects of the threading library, as a C library declares them: unions and structs of which only a state matters."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from frontend.ctypes import ArrayType, CType, PointerType, RecordType
from frontend.ir import Call, Field, Function, Index, Module, Place, Store
from frontend.ir.thread_library import TELL_LOCK_TYPES
from frontend.program import Const

FREE_RECURSIVE = 1 << 30
"""State of a free recursive mutex; while it is held, the holder's number times 256 and the depth are added."""
FREE_CHECKED = 1 << 29
"""State of a free error checking mutex, likewise."""


def lock_records(module: Module) -> frozenset[str]:
    """Keys of the records whose state is kept in one word, however the library lays them out."""
    return frozenset(key for key in library_records(module) if key in module.records and _is_large(module, key))


def library_records(module: Module) -> frozenset[str]:
    """Keys of the records that are objects of the threading library: locks, semaphores, barriers, conditions."""
    return frozenset(key for name in TELL_LOCK_TYPES if (key := _parameter(module, name, 0)))


def _is_large(module: Module, key: str) -> bool:
    record = module.records[key]
    return record.union or len(record.fields) > 1


def has_kinds(module: Module, functions: Iterable[Function], modelled: Callable[[str], bool]) -> bool:
    """Whether there may be a mutex that is not a plain one without the library being asked for it: an initialiser, static or
    not, makes it one, it comes from another file, or a function that is not `modelled` sets attributes up."""
    keys = lock_records(module)
    own = _parameter(module, "pthread_mutex_lock", 0)
    attributes = _parameter(module, "pthread_mutex_init", 1)
    for s in module.symbols.values():
        if own and _holds(module, s.type, own):
            kinds = [value for _, value in s.initial if value != 0 and (own in keys or value in (FREE_RECURSIVE, FREE_CHECKED))]
            if kinds or not s.defined:
                return True
    for edge in (e for f in functions for e in f.edges):
        match edge.instr:
            case Store(place=place, value=value) if own and not (isinstance(value, Const) and value.value == 0):
                if _is_part(module, place, own):
                    return True
            case Call(callee=str() as name, type=t) if attributes and not modelled(name):
                if any(isinstance(p, PointerType) and _is_record(p.target, attributes) for p in t.params):
                    return True
    return False


def _parameter(module: Module, name: str, position: int) -> str:
    """The key of the record that a parameter of a function points to, empty if there is none."""
    decl = module.declarations.get(name)
    t = decl.type.params[position] if decl is not None and len(decl.type.params) > position else None
    return t.target.key if isinstance(t, PointerType) and isinstance(t.target, RecordType) else ""


def _is_record(t: CType, key: str) -> bool:
    return isinstance(t, RecordType) and t.key == key


def _is_part(module: Module, place: Place, key: str) -> bool:
    """Whether a scalar is a member, at any depth, of a record with this key."""
    here: CType = place.base_type
    for number, step in enumerate(place.path):
        if _is_record(here, key):
            return True
        match step, here:
            case Field(name=name), RecordType(key=of):
                here = module.records[of].field(name).type
            case Index(), ArrayType(element=element) if number or isinstance(place.base, str):
                here = element
    return _is_record(here, key)


def _holds(module: Module, t: CType, key: str) -> bool:
    """Whether an object of the type has a part with the record type `key`."""
    match t:
        case RecordType(key=own):
            below = module.records[own].fields if own in module.records else ()
            return own == key or any(_holds(module, f.type, key) for f in below)
        case ArrayType(element=element):
            return _holds(module, element, key)
    return False


def state_of_kind(kind: int) -> int:
    """The state in which a static initialiser leaves a mutex of a kind."""
    return {1: FREE_RECURSIVE, 2: FREE_CHECKED}.get(kind, 0)
