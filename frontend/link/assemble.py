"""Templates and objects put together as a `Program`."""

from __future__ import annotations

from collections.abc import Iterator

from frontend.interrupts.race_models import choose_race_model
from frontend.ir import Fail, Function, Storage
from frontend.library.thread_creation import SCHEDULER
from frontend.link.drafts import Drafts
from frontend.link.options import LinkOptions
from frontend.lower.units import GROUNDS
from frontend.memory.world import World
from frontend.program import (
    Assumption,
    FunctionText,
    Ground,
    Ints,
    Location,
    Preemption,
    Program,
    ThreadTemplate,
    Variable,
    access_lists,
    name_of,
    op_reads,
    op_writes,
)
from frontend.program.schedule_ghosts import IE, ghost
from frontend.records import replace

_NAMED = 5
"""Names to tell where there may be many."""


def assemble(world: World, drafts: Drafts, templates: tuple[ThreadTemplate, ...], reactive: bool,
             options: LinkOptions) -> Program:
    """The program of these templates, with what is assumed about it; who may preempt whom is not said yet.

    `reactive`: there are handlers or tasks.
    """
    module, notes = world.module, world.notes
    for text, where in module.assumptions:
        notes.assume(text, where, GROUNDS.get(text, Ground.NONE))
    if not options.threads:
        _rest_of_the_program(world, templates)
    # A kernel for one processor switches between tasks, and handlers interrupt them; other threads run in parallel with handlers.
    one = not drafts.created or any(g.name == SCHEDULER.name for g in drafts.ghosts)
    return Program(
        file=module.file,
        globals=_globals(world, drafts, templates, options.ignore_norace),
        templates=templates,
        data_model=module.model.name,
        ints=options.ints,
        race_model=options.race_model or choose_race_model(world, drafts.called),
        preemption=options.preemption or (Preemption.NESTED if reactive and one else Preemption.FREE),
        assumptions=(*notes.assumptions.values(), *_unbounded(options.ints)),
        warnings=tuple(Assumption(t, where) for t, where in notes.warnings.items()),
        asserted=any(isinstance(e.instr, Fail) for f in world.pointsto.reached.values() for e in f.edges),
        functions=_functions(world),
    )


def _functions(world: World) -> tuple[FunctionText, ...]:
    """What threads run, as it stands in the text: copies of a function for different callers are one."""
    bodies: dict[str, list[Function]] = {}
    for body in world.pointsto.reached.values():
        bodies.setdefault(body.original or body.name, []).append(body)
    found: list[FunctionText] = []
    for name, copies in bodies.items():
        place = copies[0].location
        calls: dict[str, Location] = {}
        last = place.line
        for body in copies:
            callees = world.pointsto.callees.get(body.name, {})
            for e in body.edges:
                last = max(last, e.location.line) if e.location.file == place.file else last
                for callee in callees.get((e.source, e.target), ()):
                    calls.setdefault(world.pointsto.reached[callee].original or callee, e.location)
        found.append(FunctionText(name, place.file, place.line, last, tuple(calls.items())))
    return tuple(found)


def _rest_of_the_program(world: World, templates: tuple[ThreadTemplate, ...]) -> None:
    """What is taken for granted about files that are not here: they may call what nothing here calls, and share variables."""
    touched = {a.variable for accesses in access_lists(e for t in templates for e in t.cfa.edges) for a in accesses}
    shared = [s for s in world.module.symbols.values()
              if s.storage in (Storage.GLOBAL, Storage.STATIC) and world.objects.is_known(s.name)
              and any(v.name in touched for v in world.objects.variables(world.objects.named(s.name)))]
    elsewhere = [s for s in shared if not s.defined and not s.location.file.startswith(("/usr/", "<"))]
    if elsewhere:
        world.notes.assume(f"no other file touches {_listed([s.name for s in elsewhere])}", elsewhere[0].location, Ground.ABSENT)
    names = frozenset(s.name for s in shared)
    reached = {f.original or name for name, f in world.pointsto.reached.items()}
    idle = [d for d in world.module.declarations.values() if d.defined and d.external and d.name not in reached
            and _may_touch(world, d.name, names)]
    if idle:
        world.notes.assume(f"no other file calls {_listed([d.name for d in idle])}, which nothing here calls",
                           idle[0].location, Ground.ABSENT)


def _may_touch(world: World, function: str, names: frozenset[str]) -> bool:
    """Whether one of the variables stands in the function, or in one that it may call."""
    found, todo = {function}, [function]
    while todo:
        mentioned = world.module.mentioned(todo.pop())
        if mentioned & names:
            return True
        more = {n for n in mentioned if n in world.module.declarations} - found
        found |= more
        todo += more
    return False


def _listed(names: list[str]) -> str:
    """The names in quotes; of many, the first ones."""
    first = ", ".join(f"'{name}'" for name in names[:_NAMED])
    return first if len(names) <= _NAMED else f"{first} and {len(names) - _NAMED} more"


def _unbounded(ints: Ints) -> Iterator[Assumption]:
    if ints == Ints.MATH:
        yield Assumption("integers are mathematical: no arithmetic wraps around")


def _globals(world: World, drafts: Drafts, templates: tuple[ThreadTemplate, ...], ignore_norace: bool) -> tuple[Variable, ...]:
    """Every object that the file defines or that a thread touches, in source order; then heap, then ghosts."""
    objects = world.objects
    edges = [e for t in templates for e in t.cfa.edges]
    used = {n for e in edges for n in (*op_writes(e.op), *map(name_of, op_reads(e.op)))}
    accesses = [a for some in access_lists(edges) for a in some]
    data = {a.variable for a in accesses if not a.orders}
    locks = {a.variable for a in accesses} - data
    made: list[Variable] = []
    for symbol in sorted(world.module.symbols.values(), key=lambda s: s.location):
        if symbol.storage in (Storage.GLOBAL, Storage.STATIC) and (symbol.defined or objects.is_known(symbol.name)):
            made.extend(objects.variables(objects.named(symbol.name)))
    others = [o for o in objects.all() if o.symbol is None or o.symbol.storage in (Storage.LOCAL, Storage.THREAD)]
    made.extend(v for o in others if objects.is_global(o) for v in objects.variables(o) if v.name in used)
    if ignore_norace:
        made = [replace(v, norace=False) for v in made]
    made = [replace(v, ghost=True) if v.name in locks else v for v in made]
    # Sections that switch interrupts may use IE even if no call does.
    ghosts = {g.name: g for g in (*drafts.ghosts, ghost(IE))}
    return (*made, *(g for g in ghosts.values() if g.name in used))
