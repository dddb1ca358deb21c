"""The back half of the front end: functions in, a `Program` of thread automata out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from frontend.annotations.claims import with_claims
from frontend.annotations.clauses import Kind
from frontend.annotations.contracts import with_contracts
from frontend.annotations.thread_ids import numbered, own_tid
from frontend.annotations.two_state import TID, tid_of
from frontend.ctypes import CType, FunctionType, VoidType
from frontend.interrupts.initialisation_run import initialised
from frontend.interrupts.interrupt_calls import Interrupts, posted_tasks
from frontend.interrupts.interrupt_sections import saved_states, spell_out
from frontend.interrupts.preemption import schedule
from frontend.interrupts.registers import Registers, register
from frontend.ir import Call, Fail, Function, IrEdge, Module, Nop, Storage
from frontend.ir.interrupt_table import Table
from frontend.ir.library_table import RETURN_FROM_MAIN
from frontend.ir.modelled_calls import Without
from frontend.ir.split_registers import split
from frontend.library.atomic_operations import AtomicOps
from frontend.library.callbacks import Registered
from frontend.library.library_calls import KnownFunctions
from frontend.library.lifetime import Lifetime, place_joins
from frontend.library.pthreads import JOINERS, KIND_SETTERS, Created, Pthreads, knows
from frontend.memory.accesses import Accesses, World
from frontend.memory.call_graph import MANY, CallGraph
from frontend.memory.calling_contexts import NONE, confused, contexts
from frontend.memory.escapes import UNBOUNDED_COPIES, Escapes, Root, find_escapes
from frontend.memory.flows import Site
from frontend.memory.heap import heap_types
from frontend.memory.lock_types import has_kinds
from frontend.memory.objects import Notes, Objects
from frontend.memory.places import Places
from frontend.memory.points_to import PointsTo
from frontend.memory.sketch import Sketch, Step
from frontend.memory.sole_values import SoleValues
from frontend.program import (
    AccessKind,
    Arbitrary,
    Assume,
    Assumption,
    Binary,
    Cfa,
    Const,
    Edge,
    FrontendError,
    Program,
    Read,
    Role,
    Self,
    Start,
    ThreadTemplate,
    Var,
    Variable,
    name_of,
    op_reads,
    op_writes,
)
from frontend.program.fold import conjunction
from frontend.program.schedule_ghosts import IE, ghost
from frontend.threads.inline import Inliner, qualified
from frontend.threads.join_loops import find_joins
from frontend.threads.private_constants import propagate_private, touched
from frontend.threads.sections import resolve_sections, unblock
from frontend.threads.simplify import Facts, constants, simplify
from frontend.threads.sources import NO_TABLE, ThreadSource, choose_threads, task
from frontend.threads.unroll import Unroller


@dataclass(frozen=True, slots=True)
class LinkOptions:
    """What the command line says about threads and models; None where the program decides."""

    threads: tuple[str, ...] = ()
    ints: str = "exact"
    race_model: str | None = None
    preemption: str | None = None
    ignore_norace: bool = False
    table: Table = NO_TABLE


DEFAULT_OPTIONS = LinkOptions()


def link(module: Module, options: LinkOptions = DEFAULT_OPTIONS) -> Program:
    """The program that a module's threads make."""
    program = _Linker(module, options).program()
    if module.attached is not None:
        program = with_contracts(program, module.attached)
    return initialised(with_claims(program, module.annotations, module.enumerator))


@dataclass(frozen=True, slots=True)
class _Draft:
    """A thread whose functions are inlined, before its pointers are resolved."""

    source: ThreadSource
    created: Created | None
    inliner: Inliner
    function: Function


class _Linker:
    def __init__(self, module: Module, options: LinkOptions) -> None:
        self._options = options
        self._notes = Notes({}, {})
        self._bodies: dict[str, Function | None] = {}
        self._contexts = NONE
        self._apart: PointsTo | None = None
        self._facts: dict[int, Facts] = {}
        self._module = module
        self._places = Places(module)
        self._unroller = Unroller(self._body, lambda name: self._module.symbols.get(name))

    def program(self) -> Program:
        sources = self._sources()
        rules = tuple((s.function, s.rule) for s in sources if s.rule is not None)
        registers = Registers(self._options.table, dict(rules))
        reactive = any(s.role in (Role.HANDLER, Role.TASK) for s in sources)
        self._interrupts = Interrupts(self._options.table, self._notes, self._has_body, reactive, rules,
                                      frozenset(s.function for s in sources if s.role is Role.TASK),
                                      frozenset(s.function for s in sources if s.reenables))
        if reactive:
            self._module = Without(self._module, self._interrupts.replaces)
        world = self._world(sources, frozenset(registers.masks) if reactive else frozenset())
        sources = tuple(self._reentrant(world, s) for s in sources)
        for s in sources:
            if s.role is Role.HANDLER and s.flag is not None and s.count == 1:
                self._notes.assume(f"the handler '{s.function}' does not interrupt itself", s.location)
        typed = any(self._calls(world, name) for name in (*KIND_SETTERS, "mtx_init")) or has_kinds(
            self._module, world.pointsto.reached.values(), lambda name: name in world.pointsto.reached or knows(name))
        joins = any(self._calls(world, name) for name in JOINERS)
        pthreads = Pthreads(self._notes, self._places.pointer, typed, [s.function for s in sources], joins)
        pthreads.owner = None if self._module.attached is None else Read(tid_of(self._module.model))
        registered = Registered(pthreads, self._runs(world.pointsto, sources), self._calls(world, "pthread_cancel"),
                                self._calls(world, "pthread_setcanceltype"))
        self._library = KnownFunctions(pthreads, registered, self._notes, self._interrupts)
        self._lifetime = Lifetime(world.objects, self._places.pointer)
        self._all_roots = self._roots(world.pointsto, sources)
        escapes = find_escapes(world.pointsto, world.objects, self._module, self._all_roots, world.calls)
        drafts = self._drafts(world, sources, escapes)
        self._settle(world, drafts)
        alone = self._alone(drafts)
        templates = place_joins(tuple(self._template(world, draft, alone, n) for n, draft in enumerate(drafts)),
                                self._library.pthreads.created.values())
        templates = numbered(templates)
        for text, where in self._module.assumptions:
            self._notes.assume(text, where)
        edges = [e for t in templates for e in t.cfa.edges]
        used = {n for e in edges for n in (*op_writes(e.op), *map(name_of, op_reads(e.op)))}
        data = {a.variable for e in edges for a in e.accesses if a.kind is not AccessKind.SYNC}
        locks = {a.variable for e in edges for a in e.accesses} - data
        program = Program(
            file=self._module.file,
            globals=self._globals(world, used, locks),
            templates=templates,
            data_model=self._module.model.name,
            ints=self._options.ints,
            race_model=self._options.race_model or self._race_model(),
            preemption=self._options.preemption or self._preemption(reactive),
            assumptions=(*(Assumption(t, where) for t, where in self._notes.assumptions.items()), *self._unbounded()),
            warnings=tuple(Assumption(t, where) for t, where in self._notes.warnings.items()),
            asserted=any(isinstance(e.instr, Fail) for f in world.pointsto.reached.values() for e in f.edges),
        )
        if not reactive:
            return program
        return schedule(program, {s.function: s for s in sources}, registers,
                        self._interrupts.starts_on(self._reached(world, "main")))

    # ------------------------------------------------------------------------------------------- handlers and tasks
    def _sources(self) -> tuple[ThreadSource, ...]:
        """The threads, with the tasks that they post."""
        sources = choose_threads(self._module, self._options.threads, self._options.table)
        if self._options.threads:
            return sources
        known = {s.function for s in sources}
        for decl in self._module.declarations.values():
            if not decl.defined and any(name in ("interrupt", "signal") for name, _ in decl.attributes):
                self._notes.warn(f"handler '{decl.name}' is declared but not defined: what it does is not seen", decl.location)
        tasks = posted_tasks(self._module, [s.function for s in sources], self._function)
        return (*sources, *(task(self._module.declarations[name]) for name in tasks if name not in known))

    def _unbounded(self) -> Iterator[Assumption]:
        if self._options.ints == "math":
            yield Assumption("integers are mathematical: no arithmetic wraps around")

    def _has_body(self, name: str) -> bool:
        decl = self._module.declarations.get(name)
        return decl is not None and decl.defined

    def _reentrant(self, world: World, source: ThreadSource) -> ThreadSource:
        """A handler that switches interrupts on may be preempted by itself, unless priorities forbid it."""
        ranked = source.rule is not None and source.rule.priority is not None
        if source.role is Role.HANDLER and source.masked and not ranked and self._switches_on(world, source.function):
            return replace(source, count=None)
        return source

    def _switches_on(self, world: World, root: str) -> bool:
        return self._interrupts.may_enable(self._reached(world, root))

    def _reached(self, world: World, root: str) -> list[Function]:
        """The function and what it calls, directly or not."""
        reached = world.pointsto.reached
        return [reached[f] for f in world.calls.reach(root) if f in reached] if root in reached else []

    def _preemption(self, reactive: bool) -> str:
        return "nested" if reactive and not self._library.pthreads.created else "free"

    # ------------------------------------------------------------------------------------------- the world
    def _function(self, name: str) -> Function | None:
        if name not in self._bodies:
            copied = name in self._contexts.originals
            self._bodies[name] = self._contexts.body(name, self._function if copied else self._unrolled)
        return self._bodies[name]

    def _unrolled(self, name: str) -> Function | None:
        decl = self._module.declarations.get(name)
        body = None if decl is None or not decl.defined else self._unroller.unroll(self._module.function(name))
        if body is not None and name == "main":
            body = _exits(body)
        return body if body is None or self._apart is None else split(body, partial(self._apart.holds_heap, name))

    def _body(self, name: str) -> Function | None:
        """The function as it is written."""
        decl = self._module.declarations.get(name)
        return self._module.function(name) if decl is not None and decl.defined else None

    def _world(self, sources: tuple[ThreadSource, ...], tracked: frozenset[int]) -> World:
        """Objects and what pointers point to; a first round finds out what the heap is used as."""
        objects = Objects(self._module, self._places, self._notes, tracked)
        roots = [s.function for s in sources]
        solved = self._solved(objects, roots, {})
        same: dict[Site, Site] = {}
        if solved.heaps and self._module.attached is None:
            self._contexts = contexts(solved, CallGraph(solved), roots, self._unroller.concerns)
            if self._contexts.copies:
                self._apart, self._bodies = solved, {}
                solved = self._solved(objects, roots, {})
                solved = self._typed(objects, sources, solved, {})
                same = confused(solved, self._contexts)
                objects.forget(solved.heaps)
                solved = self._solved(objects, roots, {}, same=same)
        if solved.heaps:
            solved = self._typed(objects, sources, solved, same)
        objects.may_be_set = solved.holds_addresses
        outside = tuple(n for n in solved.taken if n not in self._module.declarations or n in self._module.symbols)
        joined = find_joins(solved.reached, solved.created)
        return World(self._module, objects, self._places, solved, CallGraph(solved), self._notes, outside, joined,
                     self._contexts)

    def _typed(self, objects: Objects, sources: tuple[ThreadSource, ...], solved: PointsTo,
               same: Mapping[Site, Site]) -> PointsTo:
        """The analysis once more, with what it found out about the heap."""
        calls = CallGraph(solved)
        runs = self._runs(solved, sources)
        often: dict[str, int] = {}
        for (function, source, _), name in solved.sites.items():
            often[name] = often.get(name, 0) + (MANY if source in calls.cyclic(function) else runs[function])
        objects.forget(solved.heaps)
        types = heap_types(solved.heaps, solved.pointed, self._module)
        single = frozenset(name for name, number in often.items() if number == 1)
        return self._solved(objects, [s.function for s in sources], types, single, same)

    def _solved(self, objects: Objects, roots: list[str], types: Mapping[str, CType], single: frozenset[str] = frozenset(),
                same: Mapping[Site, Site] | None = None) -> PointsTo:
        """What pointers point to; once more, if it was learnt only on the way that a struct is taken as bytes."""
        while True:
            before = self._module.bytewise
            solved = PointsTo(self._module, objects, self._places, self._function, types, single, self._contexts.called, same)
            solved.solve(roots)
            if self._module.bytewise == before:
                return solved

    def _roots(self, pointsto: PointsTo, sources: tuple[ThreadSource, ...]) -> tuple[Root, ...]:
        """The functions that threads start in, and how many of each run."""
        roots = [Root(s.function, s.count) for s in sources]
        runs = self._runs(pointsto, sources)
        created = {name: None for names in (*pointsto.created.values(), *pointsto.anytime.values()) for name in names}
        also = {s.function: s.count for s in sources}
        for name in created:
            often = runs[name]
            roots.append(Root(name, None if often >= MANY or also.get(name, 0) is None else often, True))
        return tuple(roots)

    def _runs(self, pointsto: PointsTo, sources: tuple[ThreadSource, ...]) -> dict[str, int]:
        return CallGraph(pointsto).runs({s.function: None if s.again else s.count for s in sources})

    def _calls(self, world: World, name: str) -> bool:
        return any(isinstance(e.instr, Call) and e.instr.callee == name for f in world.pointsto.reached.values() for e in f.edges)

    def _race_model(self) -> str:
        c11 = any(n.startswith(("pthread_", "__VERIFIER_", "thrd_", "mtx_", "cnd_", "sem_")) for n in self._library.called)
        vocabulary = any(n.startswith("__VERIFIER_") for n in self._module.declarations)
        return "c11" if c11 or vocabulary else "nesc"

    # ------------------------------------------------------------------------------------------- templates
    def _drafts(self, world: World, sources: tuple[ThreadSource, ...], escapes: Escapes) -> list[_Draft]:
        """Inline every thread; those that are created join the queue as their creation is met."""
        drafts: list[_Draft] = []
        queue: list[tuple[ThreadSource, Created | None]] = [(s, None) for s in sources]
        known: set[str] = set()
        while queue:
            source, created = queue.pop(0)
            drafts.append(self._draft(world, source, created, escapes))
            for made in self._library.pthreads.created.values():
                if made.template not in known:
                    known.add(made.template)
                    queue.append((ThreadSource(made.function, made.count, Role.THREAD, made.location), made))
        return drafts

    def _draft(self, world: World, source: ThreadSource, created: Created | None, escapes: Escapes) -> _Draft:
        function = self._function(source.function)
        assert function is not None
        self._interrupts.in_main = source.role is Role.MAIN
        root = next(r for r in self._all_roots if r.function == source.function and r.created == (created is not None))
        number = 0 if created is None else created.number
        accesses = Accesses(world, world.calls.reach(source.function), escapes.instances(root, number, source.count))
        shared = world.calls.shared(source.function) | self._specified
        one_step = AtomicOps(self._notes, self._module.model, self._module.attached).model
        inliner = Inliner(self._function, accesses, self._library, source.count == 1, shared, self._specified, one_step)
        self._library.pthreads.introduce(accesses, source.count)
        edge = IrEdge(0, 0, Nop(), function.location)
        begin, end = self._lifetime.around(inliner, function, source, created, edge)
        if accesses.own and source.count is None:
            self._number(inliner.sketch, accesses.own[0], source)
        returned = inliner.sketch.fresh()
        inliner.enter(function, begin, returned, (), None, edge, again=source.again)
        self._library.registered.finish(inliner, function, returned, end, edge)
        return _Draft(source, created, inliner, function)

    def _number(self, sketch: Sketch, me: Variable, source: ThreadSource) -> None:
        """Locals that get out have room for so many threads only; the others never start."""
        self._notes.assume(f"at most {UNBOUNDED_COPIES} threads of '{source.function}' run", source.location)
        number = Read(Var(me.name, me.type))
        within = conjunction(Binary(">=", number, Const(0, me.type)), Binary("<", number, Const(UNBOUNDED_COPIES, me.type)))
        first = sketch.fresh()
        sketch.steps.append(Step(first, sketch.start, Assume(within), (), source.location))
        sketch.start = first

    def _settle(self, world: World, drafts: list[_Draft]) -> None:
        """Resolve the pointers of every thread; what one hands to those that it creates is often a constant."""
        created = tuple(c for c in self._library.pthreads.created.values() if not c.handler)
        handed: dict[str, Const] = {}
        values = self._sole_values(world, drafts)
        for number, draft in enumerate(drafts):
            sketch = draft.inliner.sketch
            draft.inliner.accesses.sole = partial(values.address, number)
            if draft.created is not None:
                self._lifetime.known_argument(sketch, draft.created, handed)
            self._lifetime.resolve_joins(sketch, created, self._calls(world, "pthread_cancel"))
            draft.inliner.accesses.settle(sketch, partial(self._constants, world=world, draft=draft))
            if self._lifetime.creates(sketch, created):
                self._lifetime.arguments(sketch, created, self._constants(sketch, world, draft), handed)

    def _sole_values(self, world: World, drafts: list[_Draft]) -> SoleValues:
        objects = world.objects
        shared = [v for o in objects.all() if objects.is_global(o) and not objects.is_hardware(o) for v in objects.variables(o)]
        ghosts = self._lifetime.ghosts(tuple(self._library.pthreads.created.values()))
        threads = [(d.inliner.sketch, {*d.inliner.registers.known, *d.inliner.accesses.temporaries}) for d in drafts]
        return SoleValues(threads, (*shared, *ghosts), self._module, self._places, objects, drafts[0].inliner.accesses.reached)

    def _alone(self, drafts: list[_Draft]) -> dict[str, int]:
        """The variables that only one thread touches, and which draft that is."""
        owners: dict[str, int] = {}
        for number, draft in enumerate(drafts):
            for name in touched(draft.inliner.sketch):
                owners[name] = number if name not in owners and draft.source.count == 1 else -1
        return {name: number for name, number in owners.items() if number >= 0 and not name.startswith("*")}

    def _template(self, world: World, draft: _Draft, alone: Mapping[str, int], number: int) -> ThreadTemplate:
        sketch = draft.inliner.sketch
        body = self._body(draft.source.function)
        if body is not None and world.calls.depth(body.name, body.exit)[0] > 0:
            raise FrontendError(draft.source.location, f"unbalanced atomic section: '{body.name}' ends inside one",
                                "end it on every path")
        locals_ = self._locals(world, draft)
        private = [n for n, owner in alone.items() if owner == number]
        facts = self._known(draft, _scalars(locals_))
        propagate_private(sketch, facts, [*private, *(v.name for v in locals_ if v.is_array)])
        resolve_sections(sketch, self._spell_out)
        simplify(sketch, facts)
        unblock(sketch)
        simplify(sketch, facts)
        del self._facts[id(draft.inliner)]
        name = draft.created.template if draft.created is not None else draft.source.function
        cfa = finish(sketch)
        locals_ += [Variable(v.name, v.type, None, Arbitrary(), "", ghost=True) for v in saved_states(sketch)]
        used = _used(locals_, sketch, self._module.attached is not None)
        return ThreadTemplate(name, cfa, used, draft.source.count, draft.source.role, draft.source.location,
                              draft.source.masked)

    def _spell_out(self, sketch: Sketch, depths: dict[int, int]) -> set[int]:
        """Sections in which interrupts are switched; see `frontend.interrupts.interrupt_sections`."""
        if not self._interrupts.active:
            return set()
        found = spell_out(sketch, depths, register(self._options.table.status[0]).name)
        if saved_states(sketch):
            self._interrupts.ghosts.setdefault(IE.name, ghost(IE))
        return found

    def _constants(self, sketch: Sketch, world: World, draft: _Draft) -> dict[int, dict[str, Const]]:
        """What is known of the thread's own scalars while some accesses through pointers are not resolved."""
        locals_ = _scalars(self._locals(world, draft))
        registers = {*draft.inliner.registers.known, *draft.inliner.accesses.temporaries}
        return constants(sketch, self._known(draft, locals_), locals_.keys() - registers)

    def _known(self, draft: _Draft, locals_: Mapping[str, bool]) -> Facts:
        """What the operations of a thread do, as long as it has the same scalars."""
        known = self._facts.get(id(draft.inliner))
        if known is None or known.locals != locals_:
            known = self._facts[id(draft.inliner)] = Facts(locals_)
        return known

    def _locals(self, world: World, draft: _Draft) -> list[Variable]:
        function, inliner = draft.function, draft.inliner
        made: list[Variable] = []
        numbered = dict(zip((p.name if isinstance(p, Var) else p for p in function.params), function.param_names, strict=False))
        own = {qualified(function, n): shown for n, shown in numbered.items()}
        for name, (var, shown) in inliner.registers.known.items():
            counted = own.get(name) == "self" and draft.source.role is Role.THREAD and draft.created is None
            start: Start = Self() if counted else Arbitrary()
            made.append(Variable(name, var.type, None, start, name if shown else "", ghost=not shown))
        for var in inliner.accesses.temporaries.values():
            made.append(Variable(var.name, var.type, None, Arbitrary(), "", ghost=True))
        for obj in inliner.accesses.used.values():
            if not world.objects.is_global(obj):
                made.extend(world.objects.variables(obj))
        made.extend(inliner.accesses.own)
        made.append(own_tid(self._module.model))
        return made

    @property
    def _specified(self) -> frozenset[str]:
        """Functions that callers know by their contracts: one copy is enough for all calls."""
        attached = self._module.attached
        return frozenset() if attached is None else frozenset(
            f for f in attached.functions
            if (attached.of(f, Kind.REQUIRES) or attached.of(f, Kind.ENSURES)) and not attached.of(f, Kind.ATOMIC))

    # ------------------------------------------------------------------------------------------- globals
    def _globals(self, world: World, used: set[str], locks: set[str]) -> tuple[Variable, ...]:
        """Every object that the file defines or that a thread touches, in source order; then heap, then ghosts."""
        objects = world.objects
        made: list[Variable] = []
        for symbol in sorted(self._module.symbols.values(), key=lambda s: s.location):
            if symbol.storage in (Storage.GLOBAL, Storage.STATIC) and (symbol.defined or objects.is_known(symbol.name)):
                obj = objects.named(symbol.name)
                made.extend(objects.variables(obj))
        others = [o for o in objects.all() if o.symbol is None or o.symbol.storage in (Storage.LOCAL, Storage.THREAD)]
        made.extend(v for o in others if objects.is_global(o) for v in objects.variables(o) if v.name in used)
        if self._options.ignore_norace:
            made = [replace(v, norace=False) for v in made]
        for v in made:
            if v.norace and v.name in used:
                self._notes.warn(f"'{v.object}' is declared norace: it is checked only with -x or --ignore-norace", v.location)
        made = [replace(v, ghost=True) if v.name in locks else v for v in made]
        ghosts = [*self._lifetime.ghosts(tuple(self._library.pthreads.created.values())), *self._library.counters.values(),
                  *self._library.registered.flags.values(), *self._interrupts.ghosts.values()]
        return (*made, *(g for g in ghosts if g.name in used))


def _exits(main: Function) -> Function:
    """To return from `main` is to call `exit`."""
    leave = IrEdge(main.exit, main.size, Call(None, RETURN_FROM_MAIN, (), FunctionType(VoidType(), ())), main.location, "return")
    return replace(main, size=main.size + 1, exit=main.size, edges=(*main.edges, leave))


def _scalars(locals_: list[Variable]) -> Mapping[str, bool]:
    """A thread's own scalars; True for temporaries."""
    return {v.name: v.ghost for v in locals_ if not v.is_array}


def finish(sketch: Sketch) -> Cfa:
    """The automaton, locations numbered in reading order."""
    sketch.prune()
    order = sketch.reachable()
    number = {q: n for n, q in enumerate(order)}
    out = sketch.leaving()
    edges = tuple(
        Edge(number[s.source], number[s.target], s.op, s.accesses, s.protected, s.location, s.text, s.doubts)
        for q in order
        for s in out[q]
    )
    places = {number[q]: out[q][0].location for q in order if out[q]}
    # A thread that ends inside an atomic section does not hold up the others.
    atomic = frozenset(number[q] for q in sketch.atomic if out[q])
    return Cfa(len(order), number[sketch.start], edges, atomic, {number[q]: e for q, e in sorted(sketch.errors.items())},
               frozenset(number[q] for q in sketch.critical), places)


def _used(locals_: list[Variable], sketch: Sketch, numbered: bool) -> tuple[Variable, ...]:
    names = {n for s in sketch.steps for n in (*op_writes(s.op), *map(name_of, op_reads(s.op)))} | ({TID} if numbered else set())
    return tuple(v for v in locals_ if v.name in names)

