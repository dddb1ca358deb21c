"""Programs whose functions are not inlined, so that they may be recursive: for engines with a stack.

Each function becomes a template of a pseudo-program: its registers are the template's locals, its plain steps the edges.
A call is an edge too, which only says what it reads and writes; `Procedures.calls` says what it means. Only scalars and
arrays of file scope, direct calls, and registers are understood; anything else is refused with its place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from frontend.cfa import (
    Access,
    Arbitrary,
    Assign,
    Assume,
    Block,
    Cfa,
    Edge,
    ErrorKind,
    ErrorLocation,
    Havoc,
    Op,
    Program,
    ThreadTemplate,
    Values,
    Variable,
)
from frontend.claims import with_claims
from frontend.expr import TRUE, Binary, Element, Expr, Lvalue, Read, Scalar, Var, show_lvalue, substitute
from frontend.ir import (
    Address,
    AtomicBegin,
    AtomicEnd,
    Call,
    Copy,
    CriticalBegin,
    CriticalEnd,
    Fail,
    Forget,
    Function,
    Guard,
    Index,
    IrEdge,
    Load,
    Module,
    Nop,
    Place,
    Set,
    Store,
    Symbol,
)
from frontend.source import FrontendError
from frontend.threads import choose_threads
from frontend.types import ArrayType, IntType


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call edge of the caller: the callee, its arguments over the caller's locals, where the result goes."""

    edge: int
    callee: str
    args: tuple[Expr, ...]
    result: str | None


@dataclass(frozen=True, slots=True)
class Procedures:
    """`program.templates` are the functions, each once; `threads` the functions that run as threads, and how often.

    `calls` and `returns` (function -> its exit and the register of its result) give the edges of `calls` their meaning.
    """

    program: Program
    threads: tuple[tuple[str, int], ...]
    calls: Mapping[str, tuple[CallSite, ...]]
    params: Mapping[str, tuple[str, ...]]
    returns: Mapping[str, tuple[int, str | None]]

    def fingerprint(self) -> str:
        """A hash of everything a proof speaks about."""
        parts = [self.program.fingerprint(), self.threads, sorted(self.calls.items()), sorted(self.params.items()),
                 sorted(self.returns.items())]
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def procedures(module: Module, threads: tuple[str, ...] = (), ints: str = "exact", race_model: str = "nesc") -> Procedures:
    """The functions that the module's threads reach."""
    sources = choose_threads(module, threads)
    found: dict[str, _Lowered] = {}
    todo = [s.function for s in sources]
    while todo:
        name = todo.pop(0)
        if name not in found:
            decl = module.declarations.get(name)
            if decl is None or not decl.defined:
                raise FrontendError(sources[0].location, f"the function '{name}' has no body here")
            found[name] = _Lowering(module, module.function(name)).run()
            todo.extend(c.callee for c in found[name].calls)
    counted = []
    for s in sources:
        if s.count is None:
            raise FrontendError(s.location, f"'{s.function}' runs any number of times", f"fix it with --thread {s.function}=N")
        counted.append((s.function, s.count))
    used = {n for f in found.values() for n in f.touched}
    shared = tuple(_global(s) for n, s in module.symbols.items() if n in used)
    program = Program(module.file, shared, tuple(f.template for f in found.values()), module.model.name, ints, race_model)
    return Procedures(with_claims(program, module.annotations), tuple(counted), {n: f.calls for n, f in found.items()},
                      {n: f.params for n, f in found.items()}, {n: f.returns for n, f in found.items()})


def _global(symbol: Symbol) -> Variable:
    scalar, length = _shape(symbol)
    elements = []
    default = 0
    for path, value in symbol.initial:
        if not isinstance(value, int):
            raise FrontendError(symbol.location, f"'{symbol.shown}' holds an address")
        if not path:
            default = value
        elif isinstance(path[0], Index) and not isinstance(path[0].value, Read):
            elements.append((getattr(path[0].value, "value", 0), value))
    return Variable(symbol.name, scalar, length, Values(default, tuple(sorted(elements))), symbol.shown, symbol.name,
                    location=symbol.location)


def _shape(symbol: Symbol) -> tuple[Scalar, int | None]:
    match symbol.type:
        case IntType() as t:
            return t.scalar, None
        case ArrayType(element=IntType() as t, length=int(n)):
            return t.scalar, n
    raise FrontendError(symbol.location, f"'{symbol.shown}' is neither a number nor an array of numbers",
                        "engines with a stack understand nothing else yet")


@dataclass(frozen=True, slots=True)
class _Lowered:
    template: ThreadTemplate
    calls: tuple[CallSite, ...]
    params: tuple[str, ...]
    returns: tuple[int, str | None]
    touched: frozenset[str]


class _Lowering:
    """One function as a template."""

    def __init__(self, module: Module, function: Function) -> None:
        self.module = module
        self.function = function
        self.touched: set[str] = set()
        if function.memory:
            raise FrontendError(function.location, f"'{function.name}' has a local whose address is taken, or an aggregate",
                                "engines with a stack know registers only")

    def _own(self, v: Var) -> Var:
        """A register under a name that no other function has."""
        return Var(f"{self.function.name}::{v.name}", v.type)

    def _expr(self, e: Expr) -> Expr:
        return substitute(e, lambda v: Read(self._own(v)) if isinstance(v, Var) else None)

    def run(self) -> _Lowered:
        f = self.function
        atomic, critical = self._regions()
        edges: list[Edge] = []
        calls: list[CallSite] = []
        errors: dict[int, ErrorLocation] = {}
        for e in f.edges:
            inside = e.source in atomic or e.target in atomic
            match e.instr:
                case Fail(kind=kind, text=text):
                    errors[e.source] = ErrorLocation(ErrorKind(kind.value), e.location, text)
                case Call():
                    if inside:
                        raise FrontendError(e.location, "a call inside an atomic section", "engines with a stack do not know it")
                    site, op = self._call(e, e.instr, len(edges))
                    calls.append(site)
                    edges.append(Edge(e.source, e.target, op, (), False, e.location, e.text))
                case _:
                    op, accesses = self._plain(e)
                    edges.append(Edge(e.source, e.target, op, accesses, inside, e.location, e.text))
        result = self._own(f.result) if isinstance(f.result, Var) else None
        if f.result is not None and result is None:
            raise FrontendError(f.location, f"'{f.name}' returns an aggregate")
        size = f.size
        if result is not None:
            # What is returned is read once more, so that nobody takes it for dead at the exit.
            edges.append(Edge(f.exit, size, Assume(Binary("==", Read(result), Read(result)))))
            size += 1
        params = []
        for p in f.params:
            if not isinstance(p, Var):
                raise FrontendError(f.location, f"a parameter of '{f.name}' is not a number")
            params.append(self._own(p).name)
        registers = [self._own(r) for r in f.registers]
        locals_ = tuple(Variable(r.name, r.type, start=Values() if r.name in params else Arbitrary(), location=f.location)
                        for r in registers)
        cfa = Cfa(size, f.start, tuple(edges), frozenset(atomic), errors, frozenset(critical),
                  {e.source: e.location for e in f.edges})
        template = ThreadTemplate(f.name, cfa, locals_, 1, location=f.location)
        returns = (f.exit, result.name if result is not None else None)
        return _Lowered(template, tuple(calls), tuple(params), returns, frozenset(self.touched))

    def _regions(self) -> tuple[set[int], set[int]]:
        """The locations inside atomic and inside critical sections."""
        depth: dict[int, tuple[int, int]] = {self.function.start: (0, 0)}
        todo = [self.function.start]
        while todo:
            q = todo.pop()
            for e in self.function.edges:
                if e.source != q:
                    continue
                a = depth[q][0] + isinstance(e.instr, AtomicBegin) - isinstance(e.instr, AtomicEnd)
                c = depth[q][1] + isinstance(e.instr, CriticalBegin) - isinstance(e.instr, CriticalEnd)
                if e.target not in depth:
                    depth[e.target] = (a, c)
                    todo.append(e.target)
                elif depth[e.target] != (a, c):
                    raise FrontendError(e.location, "atomic or critical sections that are not blocks")
        return {q for q, (a, _) in depth.items() if a > 0}, {q for q, (_, c) in depth.items() if c > 0}

    def _plain(self, e: IrEdge) -> tuple[Op, tuple[Access, ...]]:
        match e.instr:
            case Set(target=t, value=v):
                return Assign(self._own(t), self._expr(v)), ()
            case Guard(cond=c):
                return Assume(self._expr(c)), ()
            case Forget(targets=ts):
                return Havoc(tuple(map(self._own, ts))), ()
            case Load(target=t, place=p):
                cell = self._cell(p, e)
                return Assign(self._own(t), Read(cell)), (Access(cell, False, e.location, e.text or show_lvalue(cell)),)
            case Store(place=p, value=v):
                cell = self._cell(p, e)
                op: Op = Havoc((cell,)) if v is None else Assign(cell, self._expr(v))
                return op, (Access(cell, True, e.location, e.text or show_lvalue(cell)),)
            case Nop() | AtomicBegin() | AtomicEnd() | CriticalBegin() | CriticalEnd():
                return Block(()), ()
            case Address() | Copy() | Call() | Fail():
                raise FrontendError(e.location, f"'{e.text}' is not understood by engines with a stack")

    def _cell(self, place: Place, e: IrEdge) -> Lvalue:
        symbol = self.module.symbols.get(place.base) if isinstance(place.base, str) else None
        if symbol is None:
            raise FrontendError(e.location, f"'{e.text}' goes through a pointer", "engines with a stack know no pointers yet")
        scalar, length = _shape(symbol)
        self.touched.add(symbol.name)
        match place.path:
            case () if length is None:
                return Var(symbol.name, scalar)
            case (Index(value=i),) if length is not None:
                return Element(symbol.name, self._expr(i), scalar)
        raise FrontendError(e.location, f"'{e.text}' is neither a number nor an element")

    def _call(self, e: IrEdge, call: Call, number: int) -> tuple[CallSite, Op]:
        if not isinstance(call.callee, str):
            raise FrontendError(e.location, "a call through a pointer", "engines with a stack know direct calls only")
        args = [self._expr(a) for a in call.args if not isinstance(a, Place)]
        if len(args) != len(call.args) or isinstance(call.result, Place):
            raise FrontendError(e.location, "an aggregate is passed or returned")
        # Never an empty step: those are taken at once, and a call is more than that.
        reads: list[Op] = [Assume(TRUE), *(Assume(Binary("==", a, a)) for a in args)]
        if call.result is None:
            return CallSite(number, call.callee, tuple(args), None), Block(tuple(reads))
        result = self._own(call.result)
        return CallSite(number, call.callee, tuple(args), result.name), Block((*reads, Havoc((result,))))
