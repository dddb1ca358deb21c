"""The back half of the front end: functions in, a `Program` of thread automata out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from frontend.access import Accesses
from frontend.cfa import (
    Access,
    AccessKind,
    Arbitrary,
    Assign,
    Assume,
    Assumption,
    Block,
    Cfa,
    Edge,
    Op,
    Program,
    Role,
    Self,
    Start,
    ThreadTemplate,
    Variable,
    name_of,
    op_reads,
    op_writes,
)
from frontend.expr import Const, Read, Scalar, Var, negate, truth
from frontend.inline import Inliner, qualified
from frontend.ir import Function, IrEdge, Module, Nop, Storage
from frontend.known import KnownFunctions
from frontend.objects import Notes, Objects
from frontend.places import Places
from frontend.sections import resolve_sections, unblock
from frontend.simplify import simplify
from frontend.source import FrontendError
from frontend.steps import Sketch, Step
from frontend.threads import ThreadSource, choose_threads

TASK_TOKEN = Variable("<task running>", Scalar(1, False), shown="<task running>", ghost=True)


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """What the command line says about threads and models; None where the program decides."""

    threads: tuple[str, ...] = ()
    ints: str = "exact"
    race_model: str | None = None
    preemption: str | None = None
    ignore_norace: bool = False


DEFAULT_OPTIONS = LinkOptions()


def link(module: Module, options: LinkOptions = DEFAULT_OPTIONS) -> Program:
    """The program that a module's threads make."""
    return _Linker(module, options).program()


class _Linker:
    def __init__(self, module: Module, options: LinkOptions) -> None:
        self._module = module
        self._options = options
        self._notes = Notes({}, {})
        self._places = Places(module)
        self._objects = Objects(module, self._places, self._notes)
        self._accesses = Accesses(module, self._objects, self._places, self._notes)
        self._library = KnownFunctions(module, self._accesses, self._notes)
        self._ghosts: dict[str, Variable] = {}

    def program(self) -> Program:
        templates = [self._template(source) for source in choose_threads(self._module, self._options.threads)]
        for text, where in self._module.assumptions:
            self._notes.assume(text, where)
        return Program(
            file=self._module.file,
            globals=self._globals(),
            templates=tuple(templates),
            data_model=self._module.model.name,
            ints=self._options.ints,
            race_model=self._options.race_model or self._race_model(),
            preemption=self._options.preemption or "free",
            assumptions=tuple(Assumption(t, where) for t, where in self._notes.assumptions.items()),
            warnings=tuple(Assumption(t, where) for t, where in self._notes.warnings.items()),
        )

    def _race_model(self) -> str:
        called = self._library.called
        c11 = any(n.startswith(("pthread_", "__VERIFIER_", "thrd_", "mtx_", "cnd_", "sem_")) for n in called)
        vocabulary = any(n.startswith(("__VERIFIER_", "pthread_create", "thrd_create")) for n in self._module.declarations)
        return "c11" if c11 or vocabulary else "nesc"

    def _function(self, name: str) -> Function | None:
        decl = self._module.declarations.get(name)
        return self._module.function(name) if decl is not None and decl.defined else None

    # ------------------------------------------------------------------------------------------- templates
    def _template(self, source: ThreadSource) -> ThreadTemplate:
        self._accesses.used = {}
        inliner = Inliner(self._function, self._accesses, self._library)
        function = self._function(source.function)
        assert function is not None
        edge = IrEdge(0, 0, Nop(), function.location)
        begin, end = self._frame(inliner.sketch, source, edge)
        inliner.enter(function, begin, end, (), None, edge, again=source.again)
        sketch = inliner.sketch
        locals_ = self._locals(inliner, function, source)
        resolve_sections(sketch)
        scalars = {v.name: v.ghost for v in locals_ if not v.is_array}
        simplify(sketch, scalars)
        unblock(sketch)
        simplify(sketch, scalars)
        return ThreadTemplate(source.function, finish(sketch), _used(locals_, sketch), source.count, source.role, source.location)

    def _frame(self, sketch: Sketch, source: ThreadSource, edge: IrEdge) -> tuple[int, int]:
        """What happens around the body: waiting for a flag or a token, starting again. Gives the body's start and end."""
        begin = sketch.start
        end = sketch.start if source.again else sketch.fresh()
        if source.flag is not None:
            symbol = self._module.symbols.get(source.flag)
            if symbol is None:
                raise FrontendError(source.location, f"there is no variable '{source.flag}' that could enable '{source.function}'")
            obj = self._objects.named(source.flag)
            self._accesses.used.setdefault(obj.name, obj)
            leaf = obj.leaves[0]
            if leaf.dims or len(obj.leaves) != 1:
                raise FrontendError(source.location, f"'{source.flag}' is not a scalar")
            flag = Var(leaf.name, leaf.type)
            begin = sketch.fresh()
            sketch.steps.append(_sync(sketch.start, begin, Assume(truth(Read(flag))), (Access(flag, False, kind=AccessKind.SYNC),), edge))
        if source.role is Role.TASK:
            self._ghosts[TASK_TOKEN.name] = TASK_TOKEN
            token = Var(TASK_TOKEN.name, TASK_TOKEN.type)
            take = Block((Assume(negate(Read(token))), Assign(token, Const(1, token.type))))
            before, begin = begin, sketch.fresh()
            sketch.steps.append(_sync(before, begin, take, (Access(token, True, kind=AccessKind.SYNC),), edge))
            after, end = end, sketch.fresh()
            sketch.steps.append(_sync(end, after, Assign(token, Const(0, token.type)), (Access(token, True, kind=AccessKind.SYNC),), edge))
        return begin, end

    def _locals(self, inliner: Inliner, function: Function, source: ThreadSource) -> list[Variable]:
        made: list[Variable] = []
        numbered = dict(zip((p.name if isinstance(p, Var) else p for p in function.params), function.param_names, strict=False))
        own = {qualified(function, n): shown for n, shown in numbered.items()}
        for name, (var, shown) in inliner.registers.known.items():
            start: Start = Self() if own.get(name) == "self" and source.role is Role.THREAD else Arbitrary()
            made.append(Variable(name, var.type, None, start, name if shown else "", ghost=not shown))
        for obj in self._accesses.used.values():
            if not self._objects.is_global(obj):
                made.extend(self._objects.variables(obj))
        return made

    # ------------------------------------------------------------------------------------------- globals
    def _globals(self) -> tuple[Variable, ...]:
        """Every object that the file defines or that a thread touches, in source order."""
        made: list[Variable] = []
        for symbol in self._module.symbols.values():
            if symbol.storage in (Storage.GLOBAL, Storage.STATIC) and (symbol.defined or self._objects.is_known(symbol.name)):
                made.extend(self._objects.variables(self._objects.named(symbol.name)))
        if self._options.ignore_norace:
            made = [replace(v, norace=False) for v in made]
        return (*made, *self._ghosts.values())


def _sync(source: int, target: int, op: Op, accesses: tuple[Access, ...], edge: IrEdge) -> Step:
    return Step(source, target, op, accesses, edge.location, "", protected=True)


def finish(sketch: Sketch) -> Cfa:
    """The automaton, locations numbered in reading order."""
    sketch.prune()
    order = sketch.reachable()
    number = {q: n for n, q in enumerate(order)}
    out = sketch.leaving()
    edges = tuple(
        Edge(number[s.source], number[s.target], s.op, s.accesses, s.protected, s.location, s.text)
        for q in order
        for s in out[q]
    )
    places = {number[q]: out[q][0].location for q in order if out[q]}
    atomic = frozenset(number[q] for q in sketch.atomic if out[q])
    return Cfa(len(order), number[sketch.start], edges, atomic, {number[q]: e for q, e in sorted(sketch.errors.items())},
               frozenset(number[q] for q in sketch.critical), places)


def _used(locals_: list[Variable], sketch: Sketch) -> tuple[Variable, ...]:
    names = {n for s in sketch.steps for n in (*op_writes(s.op), *map(name_of, op_reads(s.op)))}
    return tuple(v for v in locals_ if v.name in names)
