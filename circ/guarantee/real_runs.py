"""A run that really breaks an assertion, an annotation, or what a thread assumes of the others: a small explicit search."""

from __future__ import annotations

from dataclasses import replace

from circ.kernel.doubts import doubt
from circ.search import explicit
from circ.search.explicit import COPIES, crews
from circ.search.state_search import SearchSpace, StateSearch
from circ.search.trace_building import FoundState, build_trace
from circ.semantics.evaluation import Undefined
from circ.semantics.interpreter import Move
from circ.semantics.relies import Relies
from circ.verdict import Assertions, Observer, Options, Question, Refuted, Technique, Trace
from circ.views.sure import surely
from frontend.annotations.attached import TID
from frontend.program import Program


def real_run(program: Program, question: Question, options: Options, observer: Observer) -> Trace | None:
    """A run that shows what is asked, and that the C program has; None says nothing."""
    sure = surely(program)
    found = explicit.answer(sure, question, options, observer)
    trace = found.trace if isinstance(found, Refuted) else None
    if trace is None and isinstance(question, Assertions):
        trace = breaking_run(sure, options)
    if trace is not None:
        trace = replace(trace, program=program.fingerprint())
    return trace if trace is not None and doubt(program, trace) is None else None


def breaking_run(program: Program, options: Options) -> Trace | None:
    """The first run found whose last step breaks an assumption; None says nothing."""
    if not program.relies:
        return None
    options = replace(options, switches={Technique.OPEN: False, Technique.SYMMETRY: False, Technique.LOCAL_FIRST: False})
    space = SearchSpace(program, Assertions(), options)
    # A thread's number matters as long as others can break its assumptions.
    tids = [next((i for i, v in enumerate(t.locals) if v.name == TID), None) for t in program.templates]
    space.forget = tuple(tuple(tuple(s for s in slots if s != tid) for slots in forget)
                         for forget, tid in zip(space.forget, tids, strict=True))
    for copies in COPIES[:1]:
        for crew in crews(program, copies):
            search = _StepSearch(space, crew, options, proof=True)
            found = search.run()
            if found is not None:
                path, who = search.path(found.state)
                return build_trace(program, search.machine, Assertions(), crew, path, who, found)
    return None


class _StepSearch(StateSearch):
    """Looks at steps rather than states."""

    def run(self) -> FoundState | None:
        relies = Relies(self.machine)
        start = self.machine.open_start(self.crew)
        threads = [self._thread(t, self._forgetful(t, thread)) for t, thread in zip(self.crew, start.threads, strict=True)]
        self._add(self._sorted([self._global(start.globals), *threads]), None)
        at = 0
        while at < len(self.keys) <= self.options.max_states:
            if at % 1024 == 0:
                self.options.check_time()
            for key, parent in self._successors(at):
                if self._breaks(relies, key, parent):
                    self.keys.append(key)
                    self.parents.append(parent)
                    return FoundState(len(self.keys) - 1)
                if key not in self._index:
                    self._add(key, parent)
            at += 1
        return None

    def _breaks(self, relies: Relies, key: tuple[int, ...], parent: tuple[int, int, Move]) -> bool:
        begun, position, move = parent
        atomic = self.machine.program.templates[self.crew[position]].cfa.atomic
        if move.thread[0] in atomic:
            return False
        while self._state(self.keys[begun])[position][0] in atomic:
            before = self.parents[begun]
            assert before is not None, "no thread starts inside an atomic section"
            begun = before[0]
        try:
            return relies.broken(self.crew, self._state(key), position, self._globals[self.keys[begun][0]],
                                 self._globals[key[0]]) is not None
        except Undefined:
            return False
