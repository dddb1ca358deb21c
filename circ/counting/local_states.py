"""The local states of finite-state threads: what `counter-guided` counts, with their steps, accesses and errors.

A local state is a location and the values of the locals; a value that is dead, decides nothing, or was never read is open
(None) and stands for any. Local states and globals are numbered as they are found.
"""

from __future__ import annotations

from circ.abstraction.counters import ContextClass
from circ.search.state_search import SearchSpace
from circ.search.trace_building import FoundState
from circ.semantics.conflicts import Ready, clash, ready
from circ.semantics.evaluation import Undefined
from circ.semantics.interpreter import Domain, Globals, LocalState, Move, forget
from circ.verdict import Assertions, Options, Question, RaceOn
from frontend.program import AllAt, Arbitrary, Havoc, Program, Scalar, name_of, primitive
from frontend.records import dataclass

MOST_VALUES = 1_500


class NotFinite(Exception):
    """Something takes too many values to be enumerated; says what."""


@dataclass(slots=True)
class _Narrow(Domain):
    """All values of narrow types, no value of wide ones."""

    def values(self, t: Scalar) -> range:
        if t.width > self.exact_width:
            raise _TooWide(t)
        return range(t.low, t.high + 1)


class _TooWide(Exception):
    def __init__(self, t: Scalar) -> None:
        super().__init__(t)
        self.type = t


class LocalStates:
    """`starts`: for each local state at the start the template and the number of threads, None for any number."""

    def __init__(self, program: Program, question: Question, options: Options) -> None:
        self.program, self.question = program, question
        self.space = SearchSpace(program, question, options)
        self.machine = self.space.machine
        self.globals: list[Globals] = []
        self._global_ids: dict[Globals, int] = {}
        self.threads: list[list[LocalState]] = [[] for _ in program.templates]
        self._thread_ids: list[dict[LocalState, int]] = [{} for _ in program.templates]
        self._moves: dict[tuple[ContextClass, int], tuple[tuple[Move, int, ContextClass], ...]] = {}
        self._ready: dict[tuple[ContextClass, int], tuple[Ready, ...]] = {}
        self._clashes: dict[tuple[int, ContextClass, ContextClass], FoundState | None] = {}
        self._domain = _Narrow()
        crew = tuple(i for i, t in enumerate(program.templates) for _ in range(1 if t.count is None else t.count))
        start = self.machine.open_start(crew)
        self.start_globals = self._global(start.globals)
        counted: dict[ContextClass, int | None] = {}
        for template, thread in zip(crew, start.threads, strict=True):
            key = self._key(template, thread)
            n = counted.get(key, 0)
            counted[key] = None if program.templates[template].count is None or n is None else n + 1
        self.starts = tuple((key, key[0], n) for key, n in counted.items())

    @property
    def size(self) -> int:
        return sum(map(len, self.threads))

    @property
    def total(self) -> int | None:
        """How many threads there are in all."""
        counts = [t.count for t in self.program.templates]
        return None if None in counts else sum(n for n in counts if n is not None)

    # ----------------------------------------------------------------------------------------------- numbers
    def _global(self, g: Globals) -> int:
        found = self._global_ids.setdefault(g, len(self.globals))
        if found == len(self.globals):
            self.globals.append(g)
            self._check_small()
        return found

    def _key(self, template: int, thread: LocalState) -> ContextClass:
        thread = forget(self.space.forget[template][thread[0]], thread)
        known = self.threads[template]
        found = self._thread_ids[template].setdefault(thread, len(known))
        if found == len(known):
            known.append(thread)
            self._check_small()
        return template, found

    def _check_small(self) -> None:
        if len(self.globals) > MOST_VALUES or self.size > MOST_VALUES:
            raise NotFinite(self.largest())

    def largest(self) -> str:
        """The variable that takes the most values so far."""
        best, name = 0, ""
        for slot, v in enumerate(self.program.globals):
            n = len({g[slot] for g in self.globals})
            best, name = max((n, v.shown or v.name), (best, name))
        for t, known in enumerate(self.threads):
            for slot, v in enumerate(self.program.templates[t].locals):
                n = len({local[slot] for _, local in known})
                best, name = max((n, f"{v.shown or v.name} of {self.program.templates[t].name}"), (best, name))
        return f"{name} takes {best} values or more"

    def exist(self, *keys: ContextClass) -> bool:
        """Whether there are so many threads of each template."""
        for t in {key[0] for key in keys}:
            n = self.program.templates[t].count
            if n is not None and sum(key[0] == t for key in keys) > n:
                return False
        return True

    def thread(self, key: ContextClass) -> LocalState:
        return self.threads[key[0]][key[1]]

    # ----------------------------------------------------------------------------------------------- steps
    def atomic(self, key: ContextClass) -> bool:
        return self.thread(key)[0] in self.program.templates[key[0]].cfa.atomic

    def allows(self, guards: tuple[AllAt, ...], key: ContextClass) -> bool:
        """Whether another thread in this local state is where the guards want it."""
        name, location = self.program.templates[key[0]].name, self.thread(key)[0]
        return all(guard.template != name or location in guard.locations for guard in guards)

    def moves(self, key: ContextClass, g: int) -> tuple[tuple[Move, int, ContextClass], ...]:
        """The steps of a thread in this local state, with globals and local state after; atomicity is the caller's."""
        found = self._moves.get((key, g))
        if found is None:
            try:
                moves = list(self.machine.moves(key[0], self.globals[g], self.thread(key), self._domain))
            except _TooWide as wide:
                raise NotFinite(self._left_open(key[0], wide.type)) from wide
            if not self._domain.exact:
                raise NotFinite("an array whose elements are all left open is read")
            found = self._moves[key, g] = tuple((m, self._global(m.globals), self._key(key[0], m.thread)) for m in moves)
        return found

    def _left_open(self, template: int, t: Scalar) -> str:
        """Names what may be read before it has a value, of this type."""
        program = self.machine.program
        havocked = {name_of(v) for e in program.templates[template].cfa.edges for p in primitive(e.op)
                    if isinstance(p, Havoc) for v in p.targets}
        hidden = self.space.open.of(program.templates[template].name)
        names = [v.shown or v.name for v in (*program.globals, *program.templates[template].locals)
                 if v.type == t and v.name not in hidden and (isinstance(v.start, Arbitrary) or v.name in havocked)]
        which = f": {', '.join(dict.fromkeys(names))}" if names else ""
        return f"a value of {t.width} bits that is left open is read{which}"

    # ----------------------------------------------------------------------------------------------- errors
    def is_error(self, key: ContextClass) -> bool:
        """Whether a thread in this local state is an error by itself."""
        return isinstance(self.question, Assertions) and self.thread(key)[0] in self.program.templates[key[0]].cfa.errors

    def broken(self, g: int) -> bool:
        """Whether an invariant is false."""
        if not isinstance(self.question, Assertions):
            return False
        try:
            return self.machine.broken_invariant(self.globals[g], False) is not None
        except Undefined as missing:
            raise NotFinite("an invariant depends on a value that is left open") from missing

    def clash(self, g: int, one: ContextClass, two: ContextClass) -> FoundState | None:
        """How two distinct threads in these local states make an error; accesses by position 0 and 1."""
        key = (g, one, two)
        if key not in self._clashes:
            self._clashes[key] = self._clash(g, one, two)
        return self._clashes[key]

    def _clash(self, g: int, one: ContextClass, two: ContextClass) -> FoundState | None:
        match self.question:
            case RaceOn():
                pair = clash(self.machine, one[0], self._next(one, g), two[0], self._next(two, g))
                return None if pair is None else FoundState(0, ((0, *pair[0][:2]), (1, *pair[1][:2])))
            case Assertions():
                inside = all(self.thread(k)[0] in self.program.templates[k[0]].cfa.critical for k in (one, two))
                return FoundState(0) if inside else None

    def _next(self, key: ContextClass, g: int) -> tuple[Ready, ...]:
        assert isinstance(self.question, RaceOn)
        found = self._ready.get((key, g))
        if found is None:
            try:
                found = ready(self.machine, self.question.variable, key[0], self.globals[g], self.thread(key))
            except Undefined as missing:
                raise NotFinite("which element is accessed depends on a value that is left open") from missing
            self._ready[key, g] = found
        return found
