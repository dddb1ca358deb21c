"""What the measurements share: a checked program in numbers, in a process of its own, and how a time grows."""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import frontend
from circ import engines
from circ.run.supervise import Crashed, Done, Limits, supervise
from circ.verdict import Options, OutOfTime, RaceOn, Unknown, Verdict, silent, word


@dataclass(frozen=True, slots=True)
class Case:
    """A program text (or the path of one), the variable that is asked about, and how."""

    name: str
    variable: str
    text: str = ""
    path: str = ""
    source: frontend.LoadOptions = field(default_factory=frontend.LoadOptions)
    engine: str = "omega-circ"
    switches: Mapping[str, bool] = field(default_factory=dict)
    seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of processor time, which other work on the machine disturbs least.

    `seconds` is what the engine took, `solver` the part of it inside z3; reading and the kernel are apart.
    """

    verdict: str
    locations: int = 0
    predicates: int = 0
    acfa: int = 0
    states: int = 0
    queries: int = 0
    reading: float = 0.0
    seconds: float = 0.0
    solver: float = 0.0
    kernel: float = 0.0


def measure(cases: Sequence[Case], timeout: float) -> Iterator[tuple[Case, Measured]]:
    """Each case with its numbers, one after the other in one warm process; `timeout` is for each."""
    warm = Case("warm-up", "x", "int x;\n__attribute__((circ_thread)) void w(void) { x = x + 1; }\n")
    for case, outcome in supervise([warm, *cases], _worker, Limits(timeout, 4096)):
        if isinstance(outcome, Crashed):
            print(f"{case.name}: {outcome.traceback}", file=sys.stderr)
        if case is not warm:
            yield case, outcome.value if isinstance(outcome, Done) else Measured("unknown")


def _worker() -> Callable[[Case, Any], Measured]:
    from circ import smt
    from circ.run.check import confirmed
    from circ.verdict import Answer

    spent = [0.0]

    def timed(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            begin = time.process_time()
            try:
                return method(*args)
            finally:
                spent[0] += time.process_time() - begin
        return call

    smt.Solver.check = timed(smt.Solver.check)  # type: ignore[method-assign]
    smt.Solver.consequences = timed(smt.Solver.consequences)  # type: ignore[method-assign]

    def work(case: Case, emit: Any) -> Measured:
        begin = time.process_time()
        program = _load(case)
        reading = time.process_time() - begin
        entry = engines.find(case.engine)
        assert entry is not None
        [variable] = frontend.resolve_variable(program, case.variable)
        question, engine = RaceOn(variable.name), entry.load()
        spent[0] = 0.0
        begin = time.process_time()
        options = Options(deadline=time.monotonic() + case.seconds, switches=case.switches)
        verdict: Verdict
        try:
            verdict = engine(program, question, options, silent)
        except OutOfTime as error:
            verdict = Unknown(str(error))
        seconds, solver = time.process_time() - begin, spent[0]
        begin = time.process_time()
        answer = confirmed(program, Answer(question, case.variable, verdict, case.engine))
        s = verdict.statistics
        return Measured(word(question, answer.verdict), sum(t.cfa.size for t in program.templates), len(s.predicates),
                        sum(s.acfa.values()), s.states, s.queries, reading, seconds, solver, time.process_time() - begin)

    return work


def _load(case: Case) -> frontend.program.Program:
    if case.path:
        return frontend.load(case.path, case.source)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "generated.c")
        path.write_text(case.text)
        return frontend.load(path, case.source)


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The b of the least-squares fit seconds = a * size ** b; nan with fewer than two points."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len(logs) < 2:
        return math.nan
    mx, my = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    spread = sum((x - mx) ** 2 for x, _ in logs)
    return sum((x - mx) * (y - my) for x, y in logs) / spread if spread else math.nan
