"""Which functions the rest of a program may call, and when: at any time, before all others, or not beside others."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from frontend.ctypes import PointerType, RecordType
from frontend.entry.shared_types import SharedTypes
from frontend.ir import FunctionDecl, Module
from frontend.ir.interrupt_table import InterruptTable
from frontend.ir.thread_library import LOCK_PREFIXES, THREAD_STARTERS
from frontend.program import FrontendError, Location, OptionError
from frontend.records import dataclass
from frontend.threads.sources import is_handler, is_thread

_MAKES = tuple(f"{prefix}init" for prefix in LOCK_PREFIXES)
_ENDS = tuple(f"{prefix}destroy" for prefix in LOCK_PREFIXES)


@dataclass(frozen=True, slots=True)
class Entries:
    """`any_time`: functions that run beside each other. `first`: those that make locks, or objects with locks, before the others.

    `last`: those that end locks, which do not run beside others. `firmware`: one base thread calls them, beside handlers.
    """

    any_time: tuple[FunctionDecl, ...]
    first: tuple[FunctionDecl, ...] = ()
    last: tuple[FunctionDecl, ...] = ()
    firmware: bool = False


def find_entries(module: Module, requested: Sequence[str], table: InterruptTable, shared: SharedTypes) -> Entries | None:
    """The functions that `--entry` names; else, in a part without `main` or marked threads, all that others can call.

    None if the program has its own threads and nobody asks for more. Raises FrontendError for a name that means no function.
    """
    decls = [d for d in module.declarations.values() if d.defined]
    handlers = [d for d in decls if is_handler(d.name, _attributes(d), table)]
    main = "main" in {d.name for d in decls}
    if requested:
        named = tuple(_named(module, name) for name in requested)
        if main and handlers:
            raise FrontendError(named[0].location, "--entry: there is a 'main' that runs beside the handlers already",
                                "call the function there, or name threads with --thread")
        return Entries(named, firmware=bool(handlers) or table.word is not None)
    if main or any(is_thread(_attributes(d)) for d in decls):
        return None
    known = {d.name for d in handlers} | {d.name for d in decls if set(_attributes(d)) & {"constructor", "destructor"}}
    external = [d for d in decls if d.external and d.name not in known and d.location.file not in ("<circ>",)]
    if handlers or table.word is not None:  # a processor that is named runs no threads
        return Entries(tuple(external), firmware=True)
    makes = {d.name for d in external if _calls(module, d.name, _MAKES)}
    ends = {d.name for d in external if _calls(module, d.name, _ENDS)}
    makers = {d.name for d in external if _gives_object(d, shared)}
    return Entries(
        any_time=tuple(d for d in external if d.name in makers or (d.name in makes) == (d.name in ends)),
        first=tuple(d for d in external if d.name in makers or d.name in makes - ends),
        last=tuple(d for d in external if d.name in ends - makes - makers))


def _attributes(decl: FunctionDecl) -> list[str]:
    return [name for name, _ in decl.attributes]


def _named(module: Module, name: str) -> FunctionDecl:
    decl = module.declarations.get(name)
    if decl is None or not decl.defined:
        raise OptionError(Location(module.file, 1), "--entry", name, f"there is no function '{name}' with a body here",
                          "correct the name, or define the function")
    return decl


def _gives_object(decl: FunctionDecl, shared: SharedTypes) -> bool:
    """Whether the function returns an object that callers share: it is one that makes such objects."""
    result = decl.type.result
    return isinstance(result, PointerType) and isinstance(result.target, RecordType) and shared.holds(result.target)


def starts_threads(module: Module, function: str) -> bool:
    """Whether the function, or one that it may call, calls one that creates threads."""
    return _calls(module, function, THREAD_STARTERS)


def _calls(module: Module, function: str, names: Collection[str]) -> bool:
    """Whether one of the names stands in the function, or in one that it may call."""
    found, todo = {function}, [function]
    while todo:
        mentioned = module.mentioned(todo.pop())
        if not mentioned.isdisjoint(names):
            return True
        more = {n for n in mentioned if n in module.declarations} - found
        found |= more
        todo += sorted(more)
    return False
