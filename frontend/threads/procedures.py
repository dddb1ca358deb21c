"""Programs whose functions are not inlined, so that they may be recursive: for engines with a stack.

Each function becomes a template of a pseudo-program: its registers are the template's locals, its plain steps the edges.
A call is an edge too, which only says what it reads and writes; `Procedures.calls` says what it means. Only scalars and
arrays of file scope, direct calls, and registers are understood; anything else is refused with its place.
"""

from __future__ import annotations

from frontend.annotations.claims import with_claims
from frontend.annotations.notes import Note
from frontend.ctypes import ArrayType, IntType
from frontend.ir import (
    AtomicBegin,
    AtomicEnd,
    Call,
    CriticalBegin,
    CriticalEnd,
    Fail,
    Forget,
    Function,
    Guard,
    Index,
    IrEdge,
    Load,
    MemorySymbol,
    Module,
    Nop,
    Place,
    Set,
    Storage,
    Store,
    ThreadFence,
)
from frontend.ir.library_table import EXITS
from frontend.memory.sketch import SectionMark, Sketch, SketchStep
from frontend.program import (
    SKIP,
    TRUE,
    Access,
    Arbitrary,
    Assign,
    Assume,
    Binary,
    Block,
    CallSite,
    Cfa,
    Edge,
    Element,
    ErrorKind,
    ErrorLocation,
    Expr,
    FrontendError,
    Havoc,
    Ints,
    Lvalue,
    MemoryOrder,
    Op,
    Procedures,
    Program,
    RaceModel,
    Read,
    Role,
    Scalar,
    ThreadTemplate,
    Values,
    Var,
    Variable,
    show_lvalue,
    substitute,
    truth,
)
from frontend.program.fold import fold
from frontend.records import dataclass, replace
from frontend.threads.sections import resolve_sections, unblock
from frontend.threads.sources import ThreadSource, choose_threads


def procedures(module: Module, threads: tuple[str, ...] = (), ints: Ints = Ints.EXACT,
               race_model: RaceModel = RaceModel.NESC) -> Procedures:
    """The functions that the module's threads reach."""
    sources = choose_threads(module, threads)
    counted = tuple((s.function, _count(module, s)) for s in sources)
    found: dict[str, _Lowered] = {}
    todo = [(s.function, s.location) for s in sources]
    while todo:
        name, where = todo.pop(0)
        if name not in found:
            decl = module.declarations.get(name)
            if decl is None or not decl.defined:
                raise FrontendError(where, f"the function '{name}' has no body here", "engines with a stack need one")
            found[name] = _ProcedureBuilder(module, module.function(name)).run()
            edges = found[name].template.cfa.edges
            todo.extend((c.callee, edges[c.edge].location) for c in found[name].calls)
    for caller in found.values():
        for site in caller.calls:
            where = caller.template.cfa.edges[site.edge].location
            if [a.type for a in site.args] != [p.type for p in found[site.callee].params]:
                raise FrontendError(where, f"the arguments do not fit the parameters of '{site.callee}'")
            result = found[site.callee].returns[1]
            if site.result is not None and (result is None or result.type != site.result.type):
                raise FrontendError(where, f"what '{site.callee}' returns does not fit the call")
    used = {n for f in found.values() for n in f.touched}
    shared = tuple(_global(s) for n, s in module.symbols.items() if n in used)
    program = Program(module.file, shared, tuple(f.template for f in found.values()), module.model.name, ints, race_model)
    program = with_claims(program, module.annotations, module.enumerator)
    return Procedures(program, counted, {n: f.calls for n, f in found.items()},
                      {n: f.params for n, f in found.items()}, {n: f.returns for n, f in found.items()})


def _count(module: Module, source: ThreadSource) -> int:
    """How often the function runs as a thread; refuses what is no plain thread."""
    if source.role not in (Role.THREAD, Role.MAIN) or source.again:
        raise FrontendError(source.location, f"'{source.function}' is a handler or a task",
                            "engines with a stack know threads only")
    if source.count is None:
        raise FrontendError(source.location, f"'{source.function}' runs any number of times",
                            f"fix it with --thread {source.function}=N")
    names = module.declarations[source.function].param_names
    if names and (source.role is Role.MAIN or names != ("self",)):
        raise FrontendError(source.location, f"'{source.function}' runs as a thread and has a parameter other than self")
    return source.count


def _global(symbol: MemorySymbol) -> Variable:
    """A variable of file scope with its start value; refuses what is one object for each thread, or defined elsewhere."""
    if symbol.storage not in (Storage.GLOBAL, Storage.STATIC):
        raise FrontendError(symbol.location, f"'{symbol.shown}' is no object that all threads share",
                            "engines with a stack understand nothing else yet")
    if not symbol.defined:
        raise FrontendError(symbol.location, f"'{symbol.shown}' is defined elsewhere", "its start value is not known")
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
    name = _name(symbol)
    return Variable(name, scalar, length, Values(default, tuple(sorted(elements))), name, symbol.name, location=symbol.location)


def _name(symbol: MemorySymbol) -> str:
    """What the linked program calls it, so that one question fits both."""
    return f"{symbol.name}[]" if isinstance(symbol.type, ArrayType) else symbol.name


def _shape(symbol: MemorySymbol) -> tuple[Scalar, int | None]:
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
    params: tuple[Var, ...]
    returns: tuple[int, Var | None]
    touched: frozenset[str]


class _ProcedureBuilder:
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
        sketch = Sketch(f.size, f.start)
        calls: dict[int, tuple[CallSite, Op, IrEdge]] = {}
        marks = {AtomicBegin: SectionMark.ATOMIC_BEGIN, AtomicEnd: SectionMark.ATOMIC_END,
                 CriticalBegin: SectionMark.CRITICAL_BEGIN, CriticalEnd: SectionMark.CRITICAL_END}
        for e in f.edges:
            match e.instr:
                case Fail(kind=kind, text=text):
                    sketch.errors[e.source] = ErrorLocation(ErrorKind(kind.value), e.location, text)
                case Call(callee=str() as callee) if callee in EXITS:
                    pass  # nothing is handed over here that could run then, so it only stops
                case Call():
                    site, op = self._call(e, e.instr)
                    calls[id(op)] = (site, op, e)
                    sketch.steps.append(SketchStep(e.source, e.target, op, (), e.location, e.text))
                case _:
                    op, accesses = self._plain(e)
                    sketch.steps.append(SketchStep(e.source, e.target, op, accesses, e.location, e.text,
                                                   mark=marks.get(type(e.instr))))
        sketch.prune()
        reached = [s.op for s in sketch.steps]
        resolve_sections(sketch)
        unblock(sketch)
        edges = [Edge(s.source, s.target, s.op, s.accesses, s.protected, s.location, s.text) for s in sketch.steps]
        result = self._own(f.result) if isinstance(f.result, Var) else None
        if f.result is not None and result is None:
            raise FrontendError(f.location, f"'{f.name}' returns an aggregate")
        if result is not None:
            # What is returned is read once more, so that nobody takes it for dead at the exit.
            edges.append(Edge(f.exit, sketch.fresh(), Assume(Binary("==", Read(result), Read(result)))))
        params = [p for p in f.params if isinstance(p, Var)]
        if len(params) < len(f.params):
            raise FrontendError(f.location, f"a parameter of '{f.name}' is not a number")
        locals_ = tuple(Variable(r.name, r.type, start=Arbitrary(), location=f.location) for r in map(self._own, f.registers))
        cfa = Cfa(sketch.size, f.start, tuple(edges), frozenset(sketch.atomic), sketch.errors, frozenset(sketch.critical),
                  {e.source: e.location for e in f.edges})
        sites = self._sites([calls[id(op)] for op in reached if id(op) in calls], cfa)
        template = ThreadTemplate(f.name, cfa, locals_, 1, location=f.location)
        return _Lowered(template, sites, tuple(map(self._own, params)), (f.exit, result), frozenset(self.touched))

    def _sites(self, calls: list[tuple[CallSite, Op, IrEdge]], cfa: Cfa) -> tuple[CallSite, ...]:
        """The calls that can be reached, each with the number of its edge."""
        found = []
        for site, op, e in calls:
            where = [n for n, edge in enumerate(cfa.edges) if edge.op is op]
            edge = cfa.edges[where[0]] if len(where) == 1 else None
            if edge is None or edge.protected or {edge.source, edge.target} & (cfa.atomic | cfa.critical):
                raise FrontendError(e.location, "a call inside an atomic or critical section",
                                    "engines with a stack do not know it")
            found.append(replace(site, edge=where[0]))
        return tuple(found)

    def _plain(self, e: IrEdge) -> tuple[Op, tuple[Access, ...]]:
        match e.instr:
            case Set(target=t, value=v):
                return Assign(self._own(t), self._expr(v)), ()
            case Guard(cond=c):
                return Assume(fold(truth(self._expr(c)))), ()
            case Forget(targets=ts):
                return Havoc(tuple(map(self._own, ts))), ()
            case Load(target=t, place=p):
                cell = self._cell(p, e)
                return Assign(self._own(t), Read(cell)), (Access(cell, False, e.location, e.text or show_lvalue(cell)),)
            case Store(place=p, value=v):
                cell = self._cell(p, e)
                op: Op = Havoc((cell,)) if v is None else Assign(cell, self._expr(v))
                return op, (Access(cell, True, e.location, e.text or show_lvalue(cell)),)
            case Nop() | Note() | AtomicBegin() | AtomicEnd() | CriticalBegin() | CriticalEnd() | ThreadFence():
                return SKIP, ()
            case _:
                raise FrontendError(e.location, f"'{e.text}' is not understood by engines with a stack")

    def _cell(self, place: Place, e: IrEdge) -> Lvalue:
        if place.type.quals.order is not MemoryOrder.SEQ_CST:
            raise FrontendError(e.location, "engines with a stack know sequentially consistent atomic accesses only")
        symbol = self.module.symbols.get(place.base) if isinstance(place.base, str) else None
        if symbol is None:
            raise FrontendError(e.location, f"'{e.text}' goes through a pointer", "engines with a stack know no pointers yet")
        scalar, length = _shape(symbol)
        self.touched.add(symbol.name)
        match place.path:
            case () if length is None:
                return Var(symbol.name, scalar)
            case (Index(value=i),) if length is not None:
                return Element(_name(symbol), self._expr(i), scalar)
        raise FrontendError(e.location, f"'{e.text}' is neither a number nor an element")

    def _call(self, e: IrEdge, call: Call) -> tuple[CallSite, Op]:
        if not isinstance(call.callee, str):
            raise FrontendError(e.location, "a call through a pointer", "engines with a stack know direct calls only")
        args = [self._expr(a) for a in call.args if not isinstance(a, Place)]
        if len(args) != len(call.args) or isinstance(call.result, Place):
            raise FrontendError(e.location, "an aggregate is passed or returned")
        # Never an empty step: those are taken at once, and a call is more than that.
        reads: list[Op] = [Assume(TRUE), *(Assume(Binary("==", a, a)) for a in args)]
        if call.result is None:
            return CallSite(0, call.callee, tuple(args), None), Block(tuple(reads))
        result = self._own(call.result)
        return CallSite(0, call.callee, tuple(args), result), Block((*reads, Havoc((result,))))
