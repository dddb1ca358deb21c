"""The engines by name. Listing them imports none of them: an engine's module is loaded when it is first asked for.

An engine's module has a function or class `engine()` that gives an `Engine`. One engine object answers all questions of
one program in turn, in one process, so what it learns (predicates, caches) may be kept in the object for the next one.
Other packages add engines by entry points of the group `circ.engines`, which name such a function.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import cast

from circ.verdict import Engine
from frontend.records import dataclass

__all__ = ["ANNOTATED", "DEFAULT", "ENGINES", "GROUP", "Entry", "find", "found", "given", "installed", "on_witness"]

DEFAULT = "auto"

GROUP = "circ.engines"
"""Of the entry points by which installed packages add engines."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An engine as a user sees it: what it does, and what it claims to answer."""

    name: str
    module: str
    summary: str
    claims: str
    stack: bool = False
    """Whether it is to see the program's functions as they are, not inlined (`LoadOptions.stack`)."""
    core: bool = False
    """Whether its proofs are of the kinds that `circ.kernel.certificate` knows: others are not taken from it."""
    make: Callable[[], Engine] | None = None
    """What gives the engine, if it is none of ours."""

    def load(self) -> Engine:
        """A fresh engine, with nothing learnt."""
        if self.make is not None:
            return self.make()
        return cast(Engine, importlib.import_module(self.module).engine())


ENGINES: tuple[Entry, ...] = (
    Entry("auto", "circ.engines.auto", "the static prover, a small explicit search, random runs, omega-circ, a large search",
          "races and assertions, proofs and traces", core=True),
    Entry("static", "circ.static.prover", "locks, flags, creation and joining as sets of values, for every pair of places",
          "races, proofs", core=True),
    Entry("omega-circ", "circ.inference.omega_circ", "context inference with k threads, then a check for any number of them",
          "races and assertions, proofs and traces", core=True),
    Entry("circ", "circ.inference.circ", "context inference with threads counted 0..k and omega (Algorithm 5 of the CIRC paper)",
          "races and assertions, proofs and traces", core=True),
    Entry("counter-guided", "circ.inference.counter_guided", "finite-state threads, counted 0..k and omega (Algorithm 6)",
          "races and assertions, proofs and traces, of programs whose variables take few values", core=True),
    Entry("explicit", "circ.search.explicit", "brute-force search of all interleavings, the oracle for the others",
          "races and assertions, traces; proofs where every thread is counted and the state space is small", core=True),
    Entry("chase", "circ.search.random_runs", "random runs in which threads are held back at their accesses",
          "races, traces", core=True),
    Entry("weak-runs", "circ.search.weak_runs", "random runs under C11's memory orders, in which loads may give old values",
          "races, traces", core=True),
    Entry("thread-modular", "circ.finite.thread_modular", "each thread alone against the inferred steps of the others; finite",
          "races and assertions, proofs"),
    Entry("pushdown", "circ.finite.pushdown",
          "thread-modular with a stack: functions are summarised, recursion of any depth; finite",
          "races and assertions, proofs", stack=True),
    Entry("cartesian", "circ.finite.cartesian", "thread-modular, with exception sets that are given, built or found; finite",
          "races and assertions, proofs and traces"),
    Entry("refinement", "circ.finite.refinement", "thread-modular with iterative refinement: complete for finite-state programs",
          "races and assertions, proofs and traces"),
    Entry("assume-guarantee", "circ.guarantee.assume_guarantee", "each thread alone against what annotations say of the others",
          "races, assertions and annotations, proofs; traces where a small search finds one"),
)

ANNOTATED = "assume-guarantee"
"""The engine that needs programs with their annotations."""


def find(name: str) -> Entry | None:
    """The engine of that name, if there is one: ours, or one that an installed package adds."""
    return next((e for e in ENGINES if e.name == name), None) or next((e for e in installed() if e.name == name), None)


def found(engine: str | Engine) -> Entry:
    """The engine of that name, or the engine itself; raises ValueError for a name that means none."""
    if not isinstance(engine, str):
        return given(engine)
    entry = find(engine)
    if entry is None:
        raise ValueError(f"unknown engine {engine!r}: one of {', '.join(e.name for e in (*ENGINES, *installed()))}")
    return entry


def given(engine: Engine) -> Entry:
    """An engine that somebody hands over; it is called what the function or class is called."""
    name = getattr(engine, "__name__", None) or type(engine).__name__
    return Entry(name, "", "given by the caller", "what it answers", make=lambda: engine)


def installed() -> tuple[Entry, ...]:
    """The engines that installed packages add, by name; none of them is imported. None hides one of ours."""
    from importlib.metadata import EntryPoint, entry_points

    def entry(point: EntryPoint) -> Entry:
        package = f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value
        return Entry(point.name, "", f"added by {package}", "see there", make=lambda: cast(Engine, point.load()()))

    ours = {e.name for e in ENGINES}
    points = sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    return tuple({point.name: entry(point) for point in points if point.name not in ours}.values())
