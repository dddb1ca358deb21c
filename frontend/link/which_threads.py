"""Which threads a program has, and how often the functions run that they start in."""

from __future__ import annotations

from frontend.interrupts.interrupt_calls import Interrupts, posted_tasks
from frontend.ir import Function, Module
from frontend.ir.interrupt_table import HandlerRule
from frontend.link.bodies import Bodies
from frontend.link.options import LinkOptions
from frontend.link.startup import has_startup
from frontend.memory.call_graph import MANY, CallGraph
from frontend.memory.escapes import Root
from frontend.memory.objects import Notes
from frontend.memory.points_to import PointsTo
from frontend.memory.world import World
from frontend.program import FrontendError, Role
from frontend.records import dataclass, replace
from frontend.threads.sources import ThreadSource, choose_threads, task


@dataclass(frozen=True, slots=True)
class ThreadSet:
    """The functions that run as threads from the start; what they create is found when they are inlined."""

    sources: tuple[ThreadSource, ...]

    @property
    def functions(self) -> list[str]:
        return [s.function for s in self.sources]

    @property
    def reactive(self) -> bool:
        """Whether there are handlers or tasks; without them interrupts mean nothing."""
        return any(s.role in (Role.HANDLER, Role.TASK) for s in self.sources)

    @property
    def rules(self) -> tuple[tuple[str, HandlerRule], ...]:
        """What the interrupt table says about handlers."""
        return tuple((s.function, s.rule) for s in self.sources if s.rule is not None)

    @property
    def tasks(self) -> frozenset[str]:
        return frozenset(s.function for s in self.sources if s.role is Role.TASK)

    @property
    def reenabling(self) -> frozenset[str]:
        """Handlers that switch all interrupts on as they return."""
        return frozenset(s.function for s in self.sources if s.reenables)


def find_threads(module: Module, options: LinkOptions, notes: Notes) -> ThreadSet:
    """The threads that the options name; else those that the source marks, `main`, and the tasks that any of them posts."""
    sources = choose_threads(module, options.threads, options.table)
    if options.threads:
        return ThreadSet(sources)
    if has_startup(module) and all(s.role is not Role.MAIN for s in sources):
        raise FrontendError(sources[0].location, "there are constructors or destructors, and no 'main' that they run around",
                            "define main, or name the threads with --thread")
    for decl in module.declarations.values():
        if not decl.defined and any(name in ("interrupt", "signal") for name, _ in decl.attributes):
            notes.warn(f"handler '{decl.name}' is declared but not defined: what it does is not seen", decl.location)
    known = {s.function for s in sources}
    tasks = posted_tasks(module, [s.function for s in sources], Bodies(module).prepared)
    return ThreadSet((*sources, *(task(module.declarations[name]) for name in tasks if name not in known)))


def with_reentrance(threads: ThreadSet, world: World, interrupts: Interrupts) -> ThreadSet:
    """Any number of copies of handlers that switch interrupts on, and so may be preempted by themselves.

    That the others are not is an assumption where a variable enables them, because then no hardware sees to it.
    """
    sources = tuple(_reentrant(s, world, interrupts) for s in threads.sources)
    for s in sources:
        if s.role is Role.HANDLER and s.flag is not None and s.count == 1:
            world.notes.assume(f"the handler '{s.function}' does not interrupt itself", s.location)
    return ThreadSet(sources)


def _reentrant(source: ThreadSource, world: World, interrupts: Interrupts) -> ThreadSource:
    """A handler that switches interrupts on may be preempted by itself, unless priorities forbid it."""
    ranked = source.rule is not None and source.rule.priority is not None
    if source.role is not Role.HANDLER or not source.masked or ranked:
        return source
    return replace(source, count=None) if interrupts.may_enable(reached_from(world, source.function)) else source


def reached_from(world: World, root: str) -> list[Function]:
    """The function and what it calls, directly or not."""
    reached = world.pointsto.reached
    return [reached[f] for f in world.calls.reach(root) if f in reached] if root in reached else []


def count_runs(threads: ThreadSet, pointsto: PointsTo) -> dict[str, int]:
    """How often each function runs in the whole program, up to `MANY`."""
    return CallGraph(pointsto).runs({s.function: None if s.again else s.count for s in threads.sources})


def find_roots(threads: ThreadSet, pointsto: PointsTo) -> tuple[Root, ...]:
    """The functions that threads start in, those that are created included, and how many threads of each run."""
    roots = [Root(s.function, s.count) for s in threads.sources]
    runs = count_runs(threads, pointsto)
    created = {name: None for names in (*pointsto.created.values(), *pointsto.anytime.values()) for name in names}
    also = {s.function: s.count for s in threads.sources}
    for name in created:
        often = runs[name]
        roots.append(Root(name, None if often >= MANY or also.get(name, 0) is None else often, True))
    return tuple(roots)
