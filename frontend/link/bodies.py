"""The bodies of functions as threads run them, prepared from those that lowering gives."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property, partial

from frontend.ctypes import FunctionType, VoidType
from frontend.interrupts.bit_instructions import as_written
from frontend.ir import Call, Function, IrEdge, MemorySymbol, Module, Place
from frontend.ir.library_table import RETURN_FROM_MAIN
from frontend.ir.split_registers import split
from frontend.link.startup import started
from frontend.memory.calling_contexts import NONE, Contexts
from frontend.memory.points_to import PointsTo
from frontend.program import Const, Var
from frontend.program.fold import cast, fold
from frontend.records import replace
from frontend.threads.unroll import Unroller


class Bodies:
    """The functions of a module, each prepared when it is first asked for.

    Loops that start or join threads are unrolled, `main` begins with what runs before it, and to return from it is to call
    `exit`. With calling contexts, a copy of
    a function has the function's body under its own name, and registers that hold pointers into the heap are split by use.
    """

    def __init__(self, module: Module, contexts: Contexts = NONE, solved: PointsTo | None = None,
                 compiled: Callable[[Function], Function] = as_written, sources: Sequence[str] | None = None) -> None:
        """`solved`: what pointers point to without contexts; it says which registers hold pointers into the heap.

        `compiled`: what the machine's instructions make of a function as it is written. `sources`: the functions that run as
        threads from the start, None where they are not known yet.
        """
        self.module = module
        self.contexts = contexts
        self._solved = solved
        self._compiled = compiled
        self._prepared: dict[str, Function | None] = {}
        self._sources = sources
        fixed = None if sources is None else FixedArguments(self.written, lambda: module.symbols, sources)
        self._unroller = Unroller(self.written, lambda name: module.symbols.get(name)) if fixed is None else Unroller(
            self.written, lambda name: module.symbols.get(name), fixed.of, fixed.reached)  # lowering adds symbols

    def told_apart(self, contexts: Contexts, solved: PointsTo) -> Bodies:
        """The bodies with copies for these calling contexts."""
        return Bodies(self.module, contexts, solved, self._compiled, self._sources)

    def written(self, name: str) -> Function | None:
        """The function as it is written, `main` with what runs before it; None without a body."""
        if name == "main" and self.has(name):
            return started(self.module.function(name), self.module)
        return self.module.function(name) if self.has(name) else None

    def has(self, name: str) -> bool:
        """Whether a function has a body."""
        decl = self.module.declarations.get(name)
        return decl is not None and decl.defined

    def prepared(self, name: str) -> Function | None:
        """The body of a function, or of a copy of one, as threads run it; None without a body."""
        if name not in self._prepared:
            copied = name in self.contexts.originals
            self._prepared[name] = self.contexts.body(name, self.prepared if copied else self._prepare)
        return self._prepared[name]

    def concerns_threads(self, name: str) -> bool:
        """Whether a function starts or joins threads, directly or not."""
        return self._unroller.concerns(name)

    def _prepare(self, name: str) -> Function | None:
        written = self.written(name)
        if written is None:
            return None
        body = self._compiled(self._unroller.unroll(written))
        if name == "main":
            body = _exits(body)
        return body if self._solved is None else split(body, partial(self._solved.holds_heap, name))


def _exits(main: Function) -> Function:
    """To return from `main` is to call `exit`."""
    leave = IrEdge(main.exit, main.size, Call(None, RETURN_FROM_MAIN, (), FunctionType(VoidType(), ())), main.location, "return")
    return replace(main, size=main.size + 1, exit=main.size, edges=(*main.edges, leave))


class FixedArguments:
    """Parameters that have one constant at every call: `pool_create(4)`, if nobody calls it with anything else.

    A function that runs as a thread from the start may be called with anything, and so may one whose name stands anywhere but
    in a call: in an instruction, in an initialiser. Looked for among the functions that threads reach from `sources`;
    `functions` gives bodies, `symbols` all objects.
    """

    def __init__(self, functions: Callable[[str], Function | None], symbols: Callable[[], Mapping[str, MemorySymbol]],
                 sources: Iterable[str]) -> None:
        self._functions, self._symbols, self._sources = functions, symbols, frozenset(sources)
        self._handed: set[str] = set()
        """Names that stand elsewhere than in a call."""
        self._seen: set[str] = set()

    def reached(self) -> frozenset[str]:
        """The functions that threads may reach."""
        return frozenset(self._seen if self._calls else ())

    def of(self, function: Function) -> dict[str, Const]:
        """The registers of parameters with their constants."""
        calls = self._calls.get(function.name, [])
        if function.name in self._sources or function.name in self._handed or not calls:
            return {}
        found: dict[str, Const] = {}
        for n, p in enumerate(function.params):
            given = {self._constant(c, n, p) for c in calls} if isinstance(p, Var) else {None}
            value = given.pop()
            if value is not None and not given:
                assert isinstance(p, Var)
                found[p.name] = value
        return found

    @staticmethod
    def _constant(call: Call, n: int, p: Var) -> Const | None:
        e = call.args[n] if n < len(call.args) else None
        folded = None if e is None or isinstance(e, Place) else fold(cast(e, p.type))
        return folded if isinstance(folded, Const) else None

    @cached_property
    def _calls(self) -> dict[str, list[Call]]:
        """The calls of each function that is reached."""
        calls: dict[str, list[Call]] = {}
        todo, seen, texts = sorted(self._sources), self._seen, _Texts()
        seen |= self._sources
        while todo:
            body = self._functions(todo.pop())
            for edge in body.edges if body is not None else ():
                named = texts.of(edge.instr)
                if isinstance(edge.instr, Call) and isinstance(edge.instr.callee, str):
                    calls.setdefault(edge.instr.callee, []).append(edge.instr)
                    self._handed.update(texts.of(edge.instr.result), texts.of(edge.instr.args))
                else:
                    self._handed |= named
                new = sorted(n for n in named - seen if self._functions(n) is not None)
                seen.update(new)
                todo += new
            if not todo:
                objects = frozenset[str]().union(*[texts.of(s.initial) for s in self._symbols().values()])
                self._handed |= objects
                todo += sorted(n for n in objects - seen if self._functions(n) is not None)
                seen.update(todo)
        return calls


class _Texts:
    """The texts in pieces of data: names are among them. What pieces have in common, types above all, is looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, frozenset[str]]] = {}
        self._fields: dict[type, tuple[str, ...] | None] = {}

    def of(self, item: object) -> frozenset[str]:
        """Every text in a piece of data, which stays as it is."""
        if isinstance(item, str):
            return frozenset((item,))
        parts = self._parts(item)
        if not parts:
            return frozenset()
        known = self._known.get(id(item))
        if known is None:
            known = item, frozenset[str]().union(*map(self.of, parts))
            if not isinstance(item, list | set | Mapping):
                self._known[id(item)] = known  # keeping it keeps its id its own
        return known[1]

    def _parts(self, item: object) -> Collection[object]:
        kind = item.__class__
        if kind not in self._fields:
            self._fields[kind] = tuple([f.name for f in fields(item)]) if is_dataclass(item) else None
        names = self._fields[kind]
        if names is not None:
            return [getattr(item, name) for name in names]
        match item:
            case tuple() | list() | set() | frozenset() as items:
                return items
            case Mapping() as items:
                return [*items.keys(), *items.values()]
            case _:
                return ()
