"""Pointers resolved: every access through a pointer becomes steps on the objects that it may touch."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from frontend.library.lifetime import WaitingThreads
from frontend.link.call_models import CallModels
from frontend.link.drafts import Draft, Drafts, locals_of, scalars
from frontend.memory.sketch import Sketch
from frontend.memory.sole_values import SoleValues
from frontend.memory.world import World
from frontend.program import Const
from frontend.records import dataclass
from frontend.threads.constant_propagation import constants
from frontend.threads.op_facts import OpFacts


@dataclass(frozen=True, slots=True)
class Settled:
    """A thread without accesses that are still to be resolved; `facts`: about its operations, as far as they were looked at."""

    draft: Draft
    facts: OpFacts


def settle_pointers(world: World, drafts: Drafts, models: CallModels) -> tuple[Settled, ...]:
    """Resolve the pointers and the joins of every thread, in the order in which threads create each other.

    What a thread hands to those that it creates once is often a constant, and then known when their turn comes.
    """
    created = tuple(c for c in drafts.created if not c.handler)
    handed: dict[str, Const] = {}
    lifetime, waiting = models.lifetime, _waiting(drafts, models)
    values = _sole_values(world, drafts)
    settled: list[Settled] = []
    for number, draft in enumerate(drafts.threads):
        sketch, known = draft.sketch, _ScalarsSoFar(world, draft)
        if draft.created is not None:
            lifetime.known_argument(sketch, draft.created, handed)
        lifetime.resolve_joins(sketch, created, waiting, draft.created)
        draft.inliner.accesses.settle(sketch, draft.inliner.registers.known, known.at, partial(values.address, number))
        if lifetime.creates(sketch, created):
            lifetime.arguments(sketch, created, known.at(sketch), handed)
        settled.append(Settled(draft, known.facts))
    for draft in drafts.threads:
        draft.inliner.accesses.settle_registers(draft.sketch)
    return tuple(settled)


def _waiting(drafts: Drafts, models: CallModels) -> WaitingThreads:
    joining = (d.template for d in drafts.threads if any(s.join is not None or s.joined for s in d.sketch.steps))
    return WaitingThreads(frozenset(joining), models.selves, models.early)


def _sole_values(world: World, drafts: Drafts) -> SoleValues:
    """The addresses that are the only ones ever put into a variable, seen over all threads."""
    objects = world.objects
    shared = [v for o in objects.all() if objects.is_global(o) and not objects.is_hardware(o) for v in objects.variables(o)]
    threads = [(d.sketch, {*d.inliner.registers.known, *d.inliner.accesses.temporaries}) for d in drafts.threads]
    reached = drafts.threads[0].inliner.accesses.reached
    return SoleValues(threads, (*shared, *drafts.ghosts), world.module, world.places, objects, reached)


class _ScalarsSoFar:
    """What is known of a thread's own scalars while some accesses through pointers are not resolved."""

    def __init__(self, world: World, draft: Draft) -> None:
        self._world = world
        self._draft = draft
        self.facts = OpFacts({})

    def at(self, sketch: Sketch) -> Mapping[int, Mapping[str, Const]]:
        """The scalars with known values, by location. A store through a pointer may change those that are in memory."""
        own = scalars(locals_of(self._world, self._draft))
        self.facts = facts_about(own, self.facts)
        inliner = self._draft.inliner
        return constants(sketch, self.facts, own.keys() - {*inliner.registers.known, *inliner.accesses.temporaries})


def facts_about(own: Mapping[str, bool], known: OpFacts) -> OpFacts:
    """OpFacts about a thread's operations: those that are known, as far as they say nothing about new scalars."""
    return known.about(own)
