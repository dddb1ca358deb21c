"""Inlining: every thread becomes a sketch of its automaton, in which accesses through pointers are still to be resolved."""

from __future__ import annotations

from frontend.annotations.attached import ClauseKind
from frontend.annotations.thread_ids import own_tid
from frontend.ir import Function, IrEdge, Module, Nop
from frontend.library.atomic_operations import AnnotatedModel, AtomicOps
from frontend.library.thread_creation import CreatedThread
from frontend.link.bodies import Bodies
from frontend.link.call_models import CallModels
from frontend.link.which_threads import ThreadSet
from frontend.memory.accesses import Accesses
from frontend.memory.escapes import UNBOUNDED_COPIES, Escapes, Root
from frontend.memory.objects import Notes
from frontend.memory.sketch import Sketch, SketchStep
from frontend.memory.world import World
from frontend.program import Arbitrary, Assume, Binary, Const, Ground, Read, Role, Self, Start, Var, Variable
from frontend.program.fold import conjunction
from frontend.records import dataclass
from frontend.threads.frames import qualified
from frontend.threads.inline import Inliner
from frontend.threads.sources import ThreadSource


@dataclass(frozen=True, slots=True)
class Draft:
    """A thread whose functions are inlined; `created`: how it is created, None for threads that run from the start."""

    source: ThreadSource
    created: CreatedThread | None
    function: Function
    inliner: Inliner

    @property
    def sketch(self) -> Sketch:
        return self.inliner.sketch

    @property
    def template(self) -> str:
        """The name of its template."""
        return self.source.function if self.created is None else self.created.template


@dataclass(frozen=True, slots=True)
class Drafts:
    """All threads of the program, and what inlining found: the threads created, ghost variables, library functions called."""

    threads: tuple[Draft, ...]
    created: tuple[CreatedThread, ...]
    ghosts: tuple[Variable, ...]
    called: tuple[str, ...]


def draft_threads(world: World, bodies: Bodies, threads: ThreadSet, roots: tuple[Root, ...], escapes: Escapes,
                  models: CallModels, annotated: AnnotatedModel | None) -> Drafts:
    """Inline every thread; those that are created join the queue as their creation is met.

    `annotated`: models calls of functions that annotations describe.
    """
    attached, notes = world.module.attached, world.notes
    described = None if attached is None or annotated is None else annotated(notes, world.module.model, attached)
    one_step = AtomicOps(notes, world.module.model, described)
    library = models.library
    drafts: list[Draft] = []
    queue: list[tuple[ThreadSource, CreatedThread | None]] = [(s, None) for s in threads.sources]
    known: set[str] = set()
    while queue:
        source, created = queue.pop(0)
        root = next(r for r in roots if r.function == source.function and r.created == (created is not None))
        drafts.append(_draft(world, bodies, source, created, root, escapes, models, one_step))
        for made in library.pthreads.threads.created.values():
            if made.template not in known:
                known.add(made.template)
                queue.append((ThreadSource(made.function, made.count, Role.THREAD, made.location), made))
    made_threads = tuple(library.pthreads.threads.created.values())
    ghosts = (*models.lifetime.ghosts(made_threads), *library.counters.values(), *library.callbacks.flags.values(),
              *models.interrupts.ghosts.values(), *_addresses(drafts))
    return Drafts(tuple(drafts), made_threads, ghosts, tuple(library.called))


def _draft(world: World, bodies: Bodies, source: ThreadSource, created: CreatedThread | None, root: Root, escapes: Escapes,
           models: CallModels, one_step: AtomicOps) -> Draft:
    function = bodies.prepared(source.function)
    assert function is not None
    number = 0 if created is None else created.number
    accesses = Accesses(world, world.calls.reach(source.function), escapes.instances(root, number, source.count))
    accesses.handle = created.handle if created is not None and created.count == 1 else None
    specified = _specified(world.module)
    shared = world.calls.shared(source.function) | specified
    inliner = Inliner(source, bodies.prepared, accesses, models.library, shared, specified, one_step.model)
    models.library.pthreads.introduce(accesses, source.count)
    edge = IrEdge(0, 0, Nop(), function.location)
    begin, end = models.lifetime.around(inliner, function, source, created, edge)
    if accesses.own and source.count is None:
        _bound_copies(inliner.sketch, accesses.own[0], source, world.notes)
    returned = inliner.sketch.fresh()
    inliner.enter(function, begin, returned, (), None, edge, again=source.again)
    models.library.callbacks.finish(inliner, function, returned, end, edge)
    for lost in inliner.long_jumps.connect(inliner.sketch):
        world.notes.assume("a thread ends where it jumps to no 'setjmp' of its own", lost.location, Ground.DEFINED)
    return Draft(source, created, function, inliner)


def _addresses(drafts: list[Draft]) -> list[Variable]:
    """The ghosts of addresses that some thread computes with."""
    found = {name: ghost for d in drafts for name, ghost in d.inliner.values.numbers.ghosts.items()}
    return [found[name] for name in sorted(found)]


def _specified(module: Module) -> frozenset[str]:
    """Functions that callers know by their contracts: one copy is enough for all calls."""
    attached = module.attached
    return frozenset() if attached is None else frozenset(
        f for f in attached.functions
        if (attached.of(f, ClauseKind.REQUIRES) or attached.of(f, ClauseKind.ENSURES)) and not attached.of(f, ClauseKind.ATOMIC))


def _bound_copies(sketch: Sketch, me: Variable, source: ThreadSource, notes: Notes) -> None:
    """Locals that escape have room for so many threads only; the others never start."""
    notes.assume(f"at most {UNBOUNDED_COPIES} threads of '{source.function}' run", source.location, Ground.BOUNDED)
    number = Read(Var(me.name, me.type))
    within = conjunction(Binary(">=", number, Const(0, me.type)), Binary("<", number, Const(UNBOUNDED_COPIES, me.type)))
    first = sketch.fresh()
    sketch.steps.append(SketchStep(first, sketch.start, Assume(within), (), source.location))
    sketch.start = first


def locals_of(world: World, draft: Draft) -> list[Variable]:
    """The thread's own variables: registers, temporaries, locals in memory that do not escape, its number and identity."""
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
    made.append(own_tid(world.module.model))
    return made


def scalars(variables: list[Variable]) -> dict[str, bool]:
    """The scalars among a thread's own variables; True for temporaries."""
    return {v.name: v.ghost for v in variables if not v.is_array}
