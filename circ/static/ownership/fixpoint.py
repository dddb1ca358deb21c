"""Works out the cases at each location, and what locks guard, with the kernel's steps: a forward analysis with joins."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from circ.kernel.ownership import Fact, Heap, Shape, Steps, Unestablished, entails
from circ.static.live_locals import LiveLocals
from circ.static.ownership.joins import join

MOST_CASES = 12
"""At a location; more are joined."""


class TooMuch(Exception):
    """The effort is spent."""


class Fixpoint:
    """The cases at each location of each template."""

    def __init__(self, heap: Heap, live: Sequence[LiveLocals], effort: int) -> None:
        """`live`: for each template and location the locals that are used later."""
        self.heap, self.effort = heap, effort
        self.invariants: dict[str, list[Shape]] = {name: [] for name in heap.locks}
        templates = heap.program.templates
        self.steps = [Steps(heap, n, self.invariants) for n in range(len(templates))]
        self.cases: list[dict[int, list[Shape]]] = [{} for _ in templates]
        self.live = live
        self._out = [t.cfa.leaving() for t in templates]

    def close(self) -> None:
        """Until every step leads to a case; may raise `Disallowed`."""
        for _ in self.heap.locks:
            try:
                self.steps[0].unheld_at_start()
            except Unestablished as error:
                self._weaken(error.culprit, error.shape)
        todo = [(n, t.cfa.start) for n, t in enumerate(self.heap.program.templates) if t.count != 0]
        for n, q in todo:
            for shape in self.steps[n].at_start():
                self._add(n, q, shape)
        waiting = set(todo)
        todo.reverse()
        while todo:
            n, q = todo.pop()
            waiting.discard((n, q))
            changed = self._leave(n, q)
            if changed is None:
                changed = [(k, p) for k, at in enumerate(self.cases) for p in at]
            for place in changed:
                if place not in waiting:
                    waiting.add(place)
                    todo.append(place)

    def _leave(self, n: int, q: int) -> list[tuple[int, int]] | None:
        """The places whose cases have changed; None if it is an invariant that has."""
        changed = []
        for e in self._out[n][q]:
            for shape in tuple(self.cases[n].get(q, ())):
                self.effort -= 1
                if self.effort < 0:
                    raise TooMuch
                try:
                    after = self.steps[n].after(shape, e)
                except Unestablished as error:
                    self._weaken(error.culprit, error.shape)
                    return None
                for s in after:
                    if self._add(n, e.target, self._needed(n, e.target, s)):
                        changed.append((n, e.target))
        return changed

    def _needed(self, n: int, q: int, shape: Shape) -> Shape:
        """Without registers that are not used any more; what an own object that nobody names had becomes own by itself."""
        live, own = self.live[n][q], self.steps[n].own
        new = shape.copy()
        new.env = {t: v for t, v in new.env.items() if not isinstance(t, str) or t not in own or t in live}
        named = {s for s, _ in new.env.values()}
        for (c, name), (s, _) in list(new.cells.items()):
            if isinstance(c, int) and c not in named and s in named:
                group = new.fact(c).group
                if group is not None and new.fact(s).group is None and not new.is_void(s) \
                        and name not in new.cuts.get(group, frozenset()):
                    new.cut(c, name)
                    new.own(s)
        return new.tidy()

    def _add(self, n: int, q: int, shape: Shape) -> bool:
        cases = self.cases[n].setdefault(q, [])
        if any(entails(shape, known) for known in cases):
            return False
        while True:
            alike = next((k for k in cases if _key(k) == _key(shape)), None)
            if alike is None and len(cases) >= MOST_CASES:
                alike = next((k for k in cases if (k.held, k.dead) == (shape.held, shape.dead)), cases[0])
            if alike is None:
                break
            cases.remove(alike)
            shape = join(alike, shape)
        cases[:] = [k for k in cases if not entails(k, shape)]
        cases.append(shape)
        return True

    def _weaken(self, lock: str, shape: Shape) -> None:
        """The invariant of a lock also covers what its holder leaves here."""
        guarded = self.heap.locks[lock]
        names = {*guarded.scalars, *guarded.roots}
        left = Shape(env={t: v for t, v in shape.env.items() if t in names}, top=shape.top)
        for s, f in shape.facts.items():
            kept = f.reach is not None and all(x[0] in guarded.roots and not x[1] for x in f.reach)
            reach = f.reach if kept else None
            left.facts[s] = Fact(f.null, f.site, f.hit, f.inside, reach)
        left.cells = {(c, n): v for (c, n), v in shape.cells.items()
                      if isinstance(c, int) and left.facts.get(c, Fact()).reach is not None}
        left = left.tidy()
        known = self.invariants[lock]
        while True:
            alike = next((k for k in known if _key(k) == _key(left)), None)
            if alike is None and len(known) >= MOST_CASES:
                alike = known[0]
            if alike is None:
                break
            known.remove(alike)
            left = join(alike, left)
        known.append(left)


def _key(shape: Shape) -> Hashable:
    """What is the same in cases that are worth joining."""
    kinds = []
    for t, (s, _) in shape.env.items():
        f = shape.fact(s)
        kind = "null" if f.null else "own" if f.group is not None else "" if f.reach is None else "some" if f.reach else "none"
        place = shape.scaled.get(s)
        if kind or place is not None:
            cut = f.group is not None and bool(shape.cuts.get(f.group))
            kinds.append((str(t), kind, cut, place is not None and place.base, f.site if f.hit else None))
    return shape.held, shape.dead, tuple(kinds)
