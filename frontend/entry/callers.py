"""A part of a program with callers: threads, or a base program beside handlers, that call what other files may call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from frontend.ctypes import FunctionType, IntType, PointerType, RecordType, VoidType
from frontend.entry.arguments import Arguments, SharedObjects, scalar_of
from frontend.entry.entries import Entries, find_entries, starts_threads
from frontend.entry.shared_types import SharedTypes
from frontend.ir import Address, Call, Forget, Function, FunctionDecl, Index, MemorySymbol, Module, Place, Storage, Store
from frontend.ir.builder import GraphBuilder
from frontend.ir.interrupt_table import InterruptTable
from frontend.ir.modelled_calls import Without
from frontend.program import CALLER, Binary, Const, Location, Read, Scalar

_VOID = FunctionType(VoidType(), ())
_NAMED = 8
"""Names to tell where there may be many."""


def with_callers(module: Module, requested: Sequence[str], table: InterruptTable) -> Module:
    """The module with callers of its entries; as it is if it has its own threads and `requested` names no function."""
    shared = SharedTypes(module)
    entries = find_entries(module, requested, table, shared)
    return module if entries is None else Callers(module, entries, shared)


def called_by_threads(module: Module) -> bool:
    """Whether the module has callers that are threads: it is a part of a program with threads, whatever it calls itself."""
    return isinstance(module, Callers) and module.threaded


class Callers(Without):
    """The module, and a function `call@f` for each entry f, which makes arguments and calls it.

    In firmware `main` calls them one after the other, in any order, without end. Elsewhere each is a thread, any number of which
    run; where some functions come first, `main` calls those, in any order, and then creates the threads.
    """

    def __init__(self, module: Module, entries: Entries, shared: SharedTypes) -> None:
        super().__init__(module, lambda name: False)
        self._entries = entries
        self._objects = SharedObjects(module, shared)
        self._made: dict[str, Function] = {}
        own = "main" in module.declarations and module.declarations["main"].defined
        self.threaded = bool(entries.any_time) and not entries.firmware
        self._created = bool(entries.first) and not entries.firmware
        for decl in entries.first:
            self._add(self._caller(decl, keep=True))
        for decl in entries.any_time:
            self._add(self._caller(decl, keep=False), thread=not entries.firmware and not self._created)
        if not own and (entries.firmware or self._created or not entries.any_time):
            self._add(self._main())

    def _add(self, function: Function, thread: bool = False) -> None:
        self._made[function.name] = function
        attributes = (("circ_thread", ()),) if thread else ()
        self._declarations[function.name] = FunctionDecl(function.name, function.type, function.param_names, True, attributes,
                                                         function.location)

    # ------------------------------------------------------------------------------------------- the module
    def function(self, name: str) -> Function:
        return self._made[name] if name in self._made else super().function(name)

    def mentioned(self, function: str) -> frozenset[str]:
        made = self._made.get(function)
        if made is None:
            return super().mentioned(function)
        return frozenset(e.instr.callee for e in made.edges if isinstance(e.instr, Call) and isinstance(e.instr.callee, str))

    @property
    def symbols(self) -> Mapping[str, MemorySymbol]:
        return {**super().symbols, **self._objects.symbols}

    @property
    def assumptions(self) -> tuple[tuple[str, Location], ...]:
        return (*super().assumptions, *self._assumed())

    def _assumed(self) -> list[tuple[str, Location]]:
        e = self._entries
        made: list[tuple[str, Location]] = []
        if e.any_time:
            who = "one base program calls" if e.firmware else "any number of threads call"
            made.append((f"{who} {_listed(e.any_time)}, in any order, with any arguments", e.any_time[0].location))
        if e.first:
            made.append((f"{_listed(e.first)}, which make{'s' if len(e.first) == 1 else ''} locks or what has locks, "
                         f"run{'s' if len(e.first) == 1 else ''} before the others", e.first[0].location))
        starters = [d for d in e.any_time if starts_threads(self, d.name)]
        if starters:
            made.append((f"{_listed(starters)} start{'s' if len(starters) == 1 else ''} threads each time", starters[0].location))
        if e.last:
            made.append((f"{_listed(e.last)} {'does' if len(e.last) == 1 else 'do'} not run beside others", e.last[0].location))
        if any(isinstance(p, PointerType) for d in (*e.any_time, *e.first) for p in d.type.params):
            made.append(("objects without a lock are the caller's own, and those with one are zero at first or made here",
                         (*e.any_time, *e.first)[0].location))
        return made

    # ------------------------------------------------------------------------------------------- what calls
    def _caller(self, decl: FunctionDecl, keep: bool) -> Function:
        """Calls an entry once; `keep`: an object that it makes is kept for other calls."""
        name = f"make@{decl.name}" if keep else f"{CALLER}{decl.name}"
        graph = GraphBuilder()
        threaded = self._created and not keep
        pointer = Scalar(self.model.pointer_size * 8, False)
        parameter = graph.register("%argument", pointer) if threaded else None
        arguments = Arguments(graph, self._objects, name, decl.location)
        names = [*decl.param_names, *(f"argument{n}" for n in range(len(decl.param_names), len(decl.type.params)))]
        args = tuple(arguments.value(t, names[i] or f"argument{i}") for i, t in enumerate(decl.type.params))
        result = decl.type.result
        kept = isinstance(result, PointerType) and isinstance(result.target, RecordType) and keep and self._objects.types.holds(
            result.target)
        register = graph.register("%made", scalar_of(result, pointer)) if kept else None
        struct = None
        if isinstance(result, RecordType):
            arguments.memory.append(MemorySymbol(f"{name}::%result", result, Storage.LOCAL, "result", location=decl.location))
            struct = Place(f"{name}::%result", (), result, result)
        call = Call(register if register is not None else struct, decl.name, args, decl.type)
        graph.emit(call, decl.location, f"{decl.name}()")
        if register is not None and isinstance(result, PointerType) and isinstance(result.target, RecordType):
            slots = self._objects.made(result.target, decl.location, decl.name)
            place = Place(slots.name, (Index(arguments.index()),), result, slots.type)
            graph.emit(Store(place, Read(register)), decl.location, f"keeps what {decl.name}() made")
        exit_ = graph.current
        t = FunctionType(PointerType(VoidType()), (PointerType(VoidType()),)) if threaded else _VOID
        returned = graph.register("%returned", pointer) if threaded else None
        made = graph.finish(exit_)
        return Function(name, t, (parameter,) if parameter is not None else (), ("%argument",) if threaded else (), returned,
                        tuple(graph.registers.values()), tuple(arguments.memory), made.size, made.start, made.exit, made.edges,
                        location=decl.location)

    def _main(self) -> Function:
        e = self._entries
        where = next((d.location for d in (*e.first, *e.any_time)), Location(self.file, 1))
        graph = GraphBuilder()
        memory: list[MemorySymbol] = []
        if e.firmware:
            self._loop(graph, [f"{CALLER}{d.name}" for d in e.any_time], where, ends=False)
        if self._created:
            self._loop(graph, [f"make@{d.name}" for d in e.first], where, ends=True)
            memory.append(MemorySymbol("main::handle", IntType("unsigned long", self.model.long_size * 8, False), Storage.LOCAL,
                                       "handle", location=where))
            self._loop(graph, [], where, ends=False, created=[f"{CALLER}{d.name}" for d in e.any_time])
        exit_ = graph.current
        integer = IntType("int", self.model.int_size * 8, True)
        result = graph.register("%returned", integer.scalar)
        made = graph.finish(exit_)
        return Function("main", FunctionType(integer, ()), (), (), result, tuple(graph.registers.values()), tuple(memory),
                        made.size, made.start, made.exit, made.edges, location=where)

    def _loop(self, graph: GraphBuilder, called: Sequence[str], where: Location, ends: bool, created: Sequence[str] = ()) -> None:
        """Calls of functions (or threads that are created), any one at a time, any number of times; without end unless `ends`."""
        head, out = graph.location(), graph.location()
        graph.jump(head)
        graph.current = head
        choice = graph.temporary(Scalar(32, False))
        graph.emit(Forget((choice,)), where, "what is called next")
        at = graph.current
        names = [*called, *created]
        for number, name in enumerate(names):
            graph.current = at
            target = graph.location()
            graph.guard(Binary("==", Read(choice), Const(number, choice.type)), target, where, "what is called next")
            graph.current = target
            if name in created:
                self._create(graph, name, where)
            else:
                graph.emit(Call(None, name, (), _VOID), where, name)
            graph.jump(head)
        graph.current = at
        if ends or not names:
            graph.guard(Binary(">=", Read(choice), Const(len(names), choice.type)), out, where, "what is called next")
        graph.current = out

    def _create(self, graph: GraphBuilder, name: str, where: Location) -> None:
        pointer = Scalar(self.model.pointer_size * 8, False)
        handle, function = graph.temporary(pointer), graph.temporary(pointer)
        long = IntType("unsigned long", self.model.long_size * 8, False)
        start = self._made[name].type
        graph.emit(Address(handle, Place("main::handle", (), long, long)), where, name)
        graph.emit(Address(function, Place(name, (), start, start)), where, name)
        any_pointer = PointerType(VoidType())
        t = FunctionType(IntType("int", self.model.int_size * 8, True),
                         (PointerType(long), any_pointer, PointerType(start), any_pointer))
        null = Const(0, pointer)
        graph.emit(Call(None, "pthread_create", (Read(handle), null, Read(function), null), t), where, name)


def _listed(decls: Sequence[FunctionDecl]) -> str:
    """The names in quotes; of many, the first ones."""
    first = ", ".join(f"'{d.name}'" for d in decls[:_NAMED])
    return first if len(decls) <= _NAMED else f"{first} and {len(decls) - _NAMED} more"
