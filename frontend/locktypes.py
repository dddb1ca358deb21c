"""The objects of the threading library, as a C library declares them: unions and structs of which only a state matters."""

from __future__ import annotations

from frontend.ir import Module
from frontend.types import ArrayType, CType, PointerType, RecordType

FREE_RECURSIVE = 1 << 30
"""State of a free recursive mutex; while it is held, the holder's number times 256 and the depth are added."""
FREE_CHECKED = 1 << 29
"""State of a free error checking mutex, likewise."""

_FUNCTIONS = (
    "pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_cond_wait", "pthread_cond_init",
    "pthread_cond_signal", "pthread_rwlock_init", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_barrier_init",
    "pthread_barrier_wait", "pthread_mutexattr_init", "pthread_mutexattr_settype", "pthread_spin_lock", "sem_init", "sem_wait",
    "sem_post", "mtx_init", "mtx_lock", "cnd_init", "cnd_wait",
)


def lock_records(module: Module) -> frozenset[str]:
    """Keys of the records whose state is kept in one word, however the library lays them out."""
    found: set[str] = set()
    for name in _FUNCTIONS:
        decl = module.declarations.get(name)
        first = decl.type.params[0] if decl is not None and decl.type.params else None
        if isinstance(first, PointerType) and isinstance(first.target, RecordType):
            found.add(first.target.key)
    return frozenset(key for key in found if key in module.records and _is_large(module, key))


def _is_large(module: Module, key: str) -> bool:
    record = module.records[key]
    return record.union or len(record.fields) > 1


def has_kinds(module: Module) -> bool:
    """Whether a static initialiser makes a mutex that is not a plain one."""
    keys = lock_records(module)
    decl = module.declarations.get("pthread_mutex_lock")
    first = decl.type.params[0] if decl is not None and decl.type.params else None
    own = first.target.key if isinstance(first, PointerType) and isinstance(first.target, RecordType) else ""
    return any(value != 0 and (own in keys or value in (FREE_RECURSIVE, FREE_CHECKED)) and _holds(module, s.type, own)
               for s in module.symbols.values() for _, value in s.initial)


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
