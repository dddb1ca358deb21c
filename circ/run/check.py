"""From a program to answers: what is asked, an engine that answers it, the kernel that re-checks it, all under limits.

    result = circ.check(frontend.load("a.c"))

An engine's `Safe` or `Refuted` becomes an answer only after the kernel has accepted its certificate or replayed its trace.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never

from circ import engines
from circ.kernel.outcome import Accepted, Refused
from circ.report.possible import advice
from circ.report.terminal.by_object import is_silent
from circ.run.dump import Dump
from circ.run.reading import NotRead
from circ.run.schedule import MANY, Ask, NamedQuestion, Races, Schedule, Suspect, first_look, variables_of
from circ.run.supervise import Crashed, Died, Done, Emit, Failed, Limits, OutOfCpu, OutOfMemory, TimedOut, supervise
from circ.run.triage import reason, triage
from circ.run.vacuity import unreached
from circ.static.possible.possible_races import possible_races
from circ.verdict import (
    Answer,
    Assertions,
    AtomicityOf,
    Certificate,
    Engine,
    Observer,
    Options,
    OutOfTime,
    Part,
    PossibleRace,
    Property,
    RaceOn,
    Refuted,
    Result,
    Safe,
    Trace,
    Unknown,
    UserQuestion,
    Verdict,
    silent,
    subjects,
)
from circ.views.on_watched import OnWatched
from frontend import LoadOptions, load, resolve_variable
from frontend.program import Program, Variable
from frontend.records import dataclass

if TYPE_CHECKING:
    from circ.kernel.certificate import Kernel



@dataclass(frozen=True, slots=True)
class Plan:
    """How questions are to be answered. `dump`: a folder for what the engine builds on the way.

    `kept` are answers that were found before: they are not believed, but tried by the kernel before an engine is asked.
    """

    engine: str | Engine = engines.DEFAULT
    options: Options = field(default_factory=Options)
    limits: Limits = field(default_factory=Limits)
    dump: Path | None = None
    possible: bool = True
    """Say of an undecided variable which of its accesses nothing known keeps apart."""
    assume_absent: bool = True
    """Take for granted what is assumed of code and data that are not there; else no proof rests on it."""
    kept: Mapping[UserQuestion, Answer] = field(default_factory=dict)
    in_parts: bool = True
    """Do what is cheap for all questions first, if the engine's work has parts; answers come in another order then."""
    deadline: float | None = None
    """When the budget for all questions is used up, by the monotonic clock."""
    budget: float | None = None
    """The seconds that all questions together are meant to take: what the effort of the first looks is counted by."""


def check(
    program: Program,
    variables: Sequence[str] | None = None,
    engine: str | Engine = engines.DEFAULT,
    limits: Limits | None = None,
    observer: Observer | None = None,
    *,
    prop: Property | str = Property.RACES,
    options: Options | None = None,
) -> Result:
    """Asks about races on `variables` (all shared ones if None), or about assertions, and gives every answer.

    `engine` is a name (`circ engines` lists them) or an `Engine` of your own; whichever it is, the kernel checks what it says.
    The work is done in a child process under `limits`, so it may be asked for in a thread, or in a worker process of a pool.
    Raises FrontendError for a variable that does not exist, ValueError for an engine that does not or a program that is none.
    """
    if problems := list(program.problems()):
        raise ValueError(f"this is no program: {'; '.join(problems[:5])}")
    plan = Plan(engine, options or Options(), limits or Limits())
    asked = questions(program, variables, prop)
    return Result(program, in_order(answers(program, asked, plan, observer or silent), asked))


def verify(
    path: str | Path, source: LoadOptions | None = None, limits: Limits | None = None, *, prop: Property | str = Property.ASSERTS,
    options: Options | None = None,
) -> Result:
    """Checks the annotations and assertions of a C file (or, by `prop`, races with their help), thread by thread."""
    program = load(path, replace(source or LoadOptions(), contracts=True))
    return check(program, None, engines.ANNOTATED, limits, prop=prop, options=options)


# --------------------------------------------------------------------------------------------------- questions
def questions(program: Program, variables: Sequence[str] | None, prop: Property | str) -> tuple[NamedQuestion, ...]:
    """What is asked, variables in the order of their declaration; those declared `norace` only by name."""
    if prop not in list(Property):
        raise ValueError(f"unknown property {prop!r}: one of {', '.join(Property)}")
    asked: list[NamedQuestion] = []
    if prop in (Property.RACES, Property.ALL):
        asked += [NamedQuestion(RaceOn(v.name), shown(v)) for v in _wanted(program, variables)]
    if prop == Property.ATOMICITY:
        asked += [NamedQuestion(AtomicityOf(v.name), shown(v)) for v in _wanted(program, variables)]
    if prop == Property.ASSERTS or (prop == Property.ALL and (program.asserted or has_assertions(program))):
        asked.append(NamedQuestion(Assertions(), str(Assertions())))
    return tuple(asked)


def _wanted(program: Program, variables: Sequence[str] | None) -> list[Variable]:
    """The variables that are asked about, in the order of their declaration."""
    wanted = {v.name for v in subjects(program) if not v.norace} if variables is None else {
        v.name for name in variables for v in resolve_variable(program, name)}
    return [v for v in _as_declared(program) if v.name in wanted]


def _as_declared(program: Program) -> list[Variable]:
    """The globals in the order of their declarations, file by file; parts of one object keep their order."""
    files = {file: n for n, file in enumerate(dict.fromkeys(v.location.file for v in program.globals))}
    return sorted(program.globals, key=lambda v: (files[v.location.file], v.location.line, v.location.column))


def has_assertions(program: Program) -> bool:
    """Whether there is anything that `--property asserts` could find violated."""
    return bool(program.invariants or program.relies) or any(t.cfa.errors or t.cfa.critical for t in program.templates)


def shown(variable: Variable) -> str:
    return variable.shown or variable.name


# --------------------------------------------------------------------------------------------------- answers
class Inquiry:
    """All questions of a program, answered as it comes: iterate once. Closing the iterator ends the work.

    An answer is given when it is final; `standing` has what is known of the others when the work is broken off.
    """

    def __init__(self, program: Program, asked: Sequence[NamedQuestion], plan: Plan, observer: Observer) -> None:
        self.program, self.asked, self.plan, self.observer = program, asked, plan, observer
        self.entry = engines.found(plan.engine)
        parts = plan.in_parts and plan.engine == engines.DEFAULT
        self.seen: dict[str, PossibleRace | str] = {}
        """Possible races as far as they are found, while they are looked for."""
        if plan.deadline is not None and len(asked) > MANY:
            turns = {v.name: _turn(v) for v in program.globals}
            asked = sorted(asked, key=lambda n: turns[n.question.variable] if isinstance(n.question, RaceOn | AtomicityOf) else 0)
        look = first_look(plan.budget, len(asked))
        self.schedule = Schedule(asked, parts, plan.possible, plan.limits.timeout, plan.deadline, look)
        self._last: dict[NamedQuestion, str] = {}
        self._mistake: Unknown | None = None
        """Our own, in looking for possible races: what it leaves undecided says so."""

    def __iter__(self) -> Iterator[Answer]:
        schedule = self.schedule

        def start() -> Callable[[Ask | Suspect, Emit], Answer | Races]:
            return _Worker(self.program, self.plan, self.entry)

        waiting: list[Answer] = []
        begin = time.monotonic()
        for task, outcome in supervise(schedule.tasks(), start, self.plan.limits, self._on_event, timeout=lambda t: t.timeout):
            seconds, begin = time.monotonic() - begin, time.monotonic()
            if isinstance(task, Suspect):
                schedule.races = outcome.value if isinstance(outcome, Done) and isinstance(outcome.value, dict) else self.seen
                self._mistake = failed(outcome, None) if isinstance(outcome, Crashed) else None
                self.observer(SUSPECTED, {"races": schedule.races})
                yield from map(self._told, waiting)
                waiting = []
                continue
            if isinstance(outcome, Done):
                assert isinstance(outcome.value, Answer)
                answer = outcome.value
            else:
                unknown = failed(self._plainly(outcome), self._last.get(task.named))
                answer = Answer(task.named.question, task.named.shown, unknown, self.entry.name)
            answer = schedule.note(task, answer, seconds)
            if task.named in schedule.final:
                if schedule.awaits_races(answer):
                    waiting.append(answer)
                else:
                    yield self._told(answer)
        yield from map(self._told, waiting)
        spent = schedule.over() and self.plan.budget is not None
        yield from self.standing(_BUDGET if spent else _NO_TIME, _MORE_BUDGET if spent else _MORE_TIME)

    def standing(self, why: str, advice: str = "") -> list[Answer]:
        """Answers to the questions that have none, because the work was broken off."""
        left = self.schedule.open()
        if left and not self.schedule.suspected:
            self.schedule.races = self._last_look(variables_of(left))
        self.schedule.final.update(left)
        return [self._told(self.schedule.standing(named, why, advice, self.entry.name)) for named in left]

    def _last_look(self, variables: tuple[str, ...]) -> Races:
        """The possible races on what nobody had the time to look at, as far as they are found at once."""
        worker = _Worker(self.program, self.plan, self.entry)
        limits = replace(self.plan.limits, timeout=_LAST_LOOK)
        for _, outcome in supervise([Suspect(variables, _LAST_LOOK)], lambda: worker, limits, self._on_event):
            if isinstance(outcome, Done) and isinstance(outcome.value, dict):
                return outcome.value
        return self.seen

    def _plainly(self, outcome: Failed) -> Failed:
        """A limit as the user gave it: how much of it a part of the work had left is of no interest."""
        given = self.plan.limits.timeout
        return TimedOut(given) if isinstance(outcome, TimedOut) and given is not None else outcome

    def _told(self, answer: Answer) -> Answer:
        """The answer, with the possible race on a variable of which nothing is decided."""
        match answer:
            case Answer(question=RaceOn(variable=variable), verdict=Unknown(bug="") as unknown) if self.plan.possible:
                race = self.schedule.races.get(variable)
                if self._mistake is not None:
                    return replace(answer, verdict=replace(unknown, reason=self._mistake.reason, bug=self._mistake.bug,
                                                           tried=(unknown.reason, *unknown.tried)))
                if isinstance(race, PossibleRace):
                    return replace(answer, verdict=replace(unknown, possible=race, advice=advice(race, unknown.advice)))
                seems = (race,) if race and race not in unknown.tried else ()
                return replace(answer, verdict=replace(unknown, tried=(*seems, *unknown.tried)))
            case _:
                answer = _without_mistakes(self.program, answer)
                return answer if self.plan.assume_absent else _without_absent(self.program, answer)

    def _on_event(self, task: Ask | Suspect, event: str, data: Mapping[str, Any]) -> None:
        if isinstance(task, Suspect):
            if event == _POSSIBLE:
                self.seen[data["variable"]] = data["race"]
        else:
            self._last[task.named] = " ".join([event, *(f"{k} {v}" for k, v in data.items())])
            self.observer(event, {**data, "subject": task.named.shown})


def _turn(variable: Variable) -> int:
    """When its turn is in a large program: what has a name, then locals and what was allocated, at last what nobody asks for."""
    if is_silent(variable):
        return 2
    return int("@" in variable.object or "::" in variable.object)


def _without_mistakes(program: Program, answer: Answer) -> Answer:
    """The answer, unless it is a proof about a program of which our own mistake has kept a part from being read."""
    mistake = next((a for a in program.assumptions if a.mistake), None)
    if mistake is None or not isinstance(answer.verdict, Safe):
        return answer
    return replace(answer, verdict=Unknown(str(mistake), bug=str(mistake), statistics=answer.verdict.statistics))


def _without_absent(program: Program, answer: Answer) -> Answer:
    """The answer, unless it is a proof and something is assumed of code or data that are not there."""
    absent = [a for a in program.assumptions if a.absent]
    if not absent or not isinstance(answer.verdict, Safe):
        return answer
    more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
    open_ = Unknown(f"there is a proof, which rests on what is not here: {absent[0]}{more}",
                    advice="give circ the other files as well, or do without --assume none", statistics=answer.verdict.statistics)
    return replace(answer, verdict=open_)


def in_order(found: Iterable[Answer], asked: Sequence[NamedQuestion]) -> tuple[Answer, ...]:
    """The answers in the order in which they were asked for."""
    order = {named.question: n for n, named in enumerate(asked)}
    return tuple(sorted(found, key=lambda a: order[a.question]))


def answers(program: Program, asked: Sequence[NamedQuestion], plan: Plan, observer: Observer) -> Iterator[Answer]:
    """One answer a question, as they come. The observer hears of progress; closing the iterator ends all."""
    return iter(Inquiry(program, asked, plan, observer))


class _Worker:
    """Answers questions in the child process: triage, then the engine, then the kernel."""

    def __init__(self, program: Program, plan: Plan, entry: engines.Entry) -> None:
        self.program, self.plan, self.entry = program, plan, entry
        self.engine: Engine | None = None  # what triage decides needs no engine
        self.watching = OnWatched(entry.load, triage)
        self.kernel: Kernel | None = None

    def __call__(self, task: Ask | Suspect, emit: Emit) -> Answer | Races:
        if isinstance(task, Ask):
            return self._answer(task, emit)
        return possible_races(self.program, task.variables, lambda v, race: emit(_POSSIBLE, {"variable": v, "race": race}))

    def _answer(self, asked: Ask, emit: Emit) -> Answer:
        task = asked.named
        kept = self.plan.kept.get(task.question)
        if kept is not None and asked.part in (Part.ALL, Part.PROVE):
            answer = self._confirmed(replace(kept, question=task.question, shown=task.shown), emit)
            if not isinstance(answer.verdict, Unknown):
                return answer
        begin = time.monotonic()
        engine, verdict = self._infer(asked, emit, begin)
        inferred = time.monotonic()
        answer = self._confirmed(Answer(task.question, task.shown, verdict, engine), emit)
        return _timed(answer, engine=inferred - begin, kernel=time.monotonic() - inferred)

    def _confirmed(self, answer: Answer, emit: Emit) -> Answer:
        emit("kernel", {})
        if isinstance(answer.verdict, Safe) and self.kernel is None:
            self.kernel = make_kernel(self.program, self.entry.core)
        return confirmed(self.program, answer, self.kernel)

    def _infer(self, asked: Ask, emit: Emit, begin: float) -> tuple[str, Verdict]:
        task = asked.named
        observer = self._observer(task, emit)
        if self.program.relies and isinstance(task.question, Assertions) and self.entry.name != engines.ANNOTATED:
            return self.entry.name, Unknown("it says nothing about what threads assume of each other",
                                            advice="ask assume-guarantee")
        timeout = asked.timeout
        options = replace(self.plan.options, deadline=None if timeout is None else begin + timeout, part=asked.part,
                          first_look=asked.look)
        try:
            if isinstance(task.question, AtomicityOf):
                verdict = self.watching(self.program, task.question, options, observer)
                trivial = isinstance(verdict, Safe) and verdict.trivial
                return "triage" if trivial else verdict.statistics.by or self.entry.name, verdict
            proof = triage(self.program, task.question)
            if proof is not None:
                return "triage", Safe(proof, (reason(self.program, proof),), trivial=True)
            self.engine = self.engine or self._loaded()
            verdict = self.engine(self.program, task.question, options, observer)
            if not isinstance(verdict, Safe | Refuted | Unknown):
                raise TypeError(f"the engine {self.entry.name} answered {type(verdict).__name__}, not Safe, Refuted or Unknown")
            return verdict.statistics.by or self.entry.name, verdict
        except OutOfTime as error:
            return self.entry.name, Unknown(str(error), advice=_MORE_TIME)

    def _loaded(self) -> Engine:
        engine = self.entry.load()
        if self.plan.options.hints is None:
            return engine
        from circ.engines.on_witness import OnWitness

        return OnWitness(engine, self.plan.engine == engines.DEFAULT)

    def _observer(self, task: NamedQuestion, emit: Emit) -> Observer:
        dump = Dump(self.plan.dump / file_name(task.shown), self.program, emit) if self.plan.dump else None

        def observe(event: str, data: Mapping[str, Any]) -> None:
            if dump is not None:
                dump(event, data)
            if event != "dump":
                emit(event, data)

        return observe


def confirmed(program: Program, answer: Answer, kernel: Kernel | None = None) -> Answer:
    """The answer if the kernel agrees, with what the proof assumes and what it leaves out as never reached.

    Else an `Unknown`: our bug, unless a limit was reached.
    """
    match answer.verdict:
        case Safe(certificate=evidence):
            what = "a certificate"
        case Refuted(trace=evidence):
            what = "a trace"
        case Unknown():
            return answer
        case _:
            assert_never(answer.verdict)
    judgement = judge(program, answer.question, evidence, kernel)
    if isinstance(judgement, Accepted):
        empty = unreached(program, evidence) if isinstance(evidence, Certificate) else ()
        return _certain(program, replace(answer, assumptions=judgement.assumptions, warnings=(*answer.warnings, *empty)))
    if isinstance(judgement, Refused) and judgement.limit:
        late = Unknown(f"the proof could not be checked within the kernel's limits: {judgement}", ("a proof was found",),
                       statistics=answer.verdict.statistics)
        return replace(answer, verdict=late)
    bug = Unknown(f"internal error: the kernel refused {what}: {judgement}", bug=f"{judgement}\n{evidence}",
                  statistics=answer.verdict.statistics)
    return replace(answer, verdict=bug)


def _certain(program: Program, answer: Answer) -> Answer:
    """The answer, unless it is a trace that depends on what the program was over-approximated by."""
    if not isinstance(answer.verdict, Refuted):
        return answer
    from circ.kernel.doubts import doubt

    reason = doubt(program, answer.verdict.trace)
    if reason is None:
        return answer
    unsure = Unknown(f"a run was found that may not be one of the program: {reason}", statistics=answer.verdict.statistics)
    return replace(answer, verdict=unsure)


def make_kernel(program: Program, core: bool = False) -> Kernel:
    """A kernel for the program; with `core` one that takes proofs of the kinds that `auto` emits, and no others."""
    from circ.kernel.certificate import Kernel
    from circ.kernel.further_kinds import FurtherKinds

    if core:
        return Kernel(program, FurtherKinds())
    from circ.kernel.other_kinds import other_kinds

    return Kernel(program, FurtherKinds(other_kinds))


def judge(
    program: Program, question: UserQuestion, evidence: Certificate | Trace, kernel: Kernel | None = None,
) -> Accepted | Refused:
    """What the kernel says of a proof or a trace as an answer to the question. Loads the solver for proofs only.

    A `kernel` for this program keeps what it has worked out for other questions.
    """
    match evidence:
        case Certificate():
            return (kernel or make_kernel(program)).check(question, evidence)
        case Trace():
            from circ.kernel.replay import replay

            if evidence.question != question:
                return Refused("question", "", f"the trace is about {evidence.question}")
            replayed = replay(program, evidence)
            return replayed if isinstance(replayed, Refused) else Accepted()
        case _:
            assert_never(evidence)


def judge_within(program: Program, evidence: Certificate | Trace, limits: Limits) -> Accepted | Refused:
    """What is to be said of a proof or trace that anybody may have written, found out in a child process under the limits.

    A trace that depends on what the program was over-approximated by is refused, and so is what a limit is reached by. Raises
    NotRead for our own mistake.
    """

    def worker(task: Certificate | Trace, emit: Emit) -> Accepted | Refused:
        from circ.kernel.doubts import doubt

        mistake = next((a for a in program.assumptions if a.mistake), None)
        if mistake is not None and isinstance(task, Certificate):
            return Refused("program", "", str(mistake))
        found = judge(program, task.question, task)
        unsure = doubt(program, task) if isinstance(task, Trace) and isinstance(found, Accepted) else None
        return found if unsure is None else Refused("doubt", "", f"it may be no run of the program: {unsure}")

    [(_, outcome)] = supervise([evidence], lambda: worker, limits)
    if isinstance(outcome, Crashed):
        raise NotRead(program.file, outcome)
    return outcome.value if isinstance(outcome, Done) else Refused("limit", "", failed(outcome, None).reason, limit=True)


def _timed(answer: Answer, **seconds: float) -> Answer:
    verdict = answer.verdict
    statistics = replace(verdict.statistics, seconds={**verdict.statistics.seconds, **seconds})
    return replace(answer, verdict=replace(verdict, statistics=statistics))


SUSPECTED = "suspected"
"""The event with which an observer is told of the possible races on what is undecided, before it is looked at further."""
_POSSIBLE = "possible"
"""The event with which a worker tells of one of them, so that what is found is known wherever a limit ends the work."""
_LAST_LOOK = 10.0
"""Seconds for the possible races once the time is over."""
_LONG = 100
"""Letters of a variable's or a file's name within the name of a file, of which file systems allow 255."""
_BUDGET = "the budget is used up"
_MORE_BUDGET = "give it more with --budget, or name the variables that matter with -x"
_NO_TIME = "the time limit was reached"
_MORE_TIME = "give it more time with --timeout, or name the variables that matter with -x"


def failed(outcome: Failed, last: str | None) -> Unknown:
    """The verdict when the child did not come to an end; `last` is what was last heard of it."""
    tried = () if last is None else (f"it was at: {last}",)
    match outcome:
        case TimedOut(seconds=s):
            return Unknown(f"timeout: no answer within {s:g} s", tried, _MORE_TIME)
        case OutOfCpu(seconds=s):
            return Unknown(f"cpu limit: no answer within {s:g} s of processor time", tried, "give it more with --cpu-limit")
        case OutOfMemory(megabytes=m):
            limit = f" of {m} MB" if m is not None else ""
            return Unknown(f"memory: the limit{limit} was reached", tried, "give it more memory with --memory")
        case Died(how=how, stderr=text):
            return Unknown(f"the analysis process ended early ({how})", (*tried, *text.splitlines()[-1:]), killed=True,
                           advice="the system may have killed it for want of memory: try again, or -x for one variable")
        case Crashed(error=error, traceback=trace):
            return Unknown(f"internal error: {error}", bug=trace)
        case _:
            assert_never(outcome)


def file_name(subject: str) -> str:
    """A variable's name as part of a file name: letters, digits, `_`, `.` and `-` stay, the rest is written in hex.

    Of a name that is too long for a file system the end stays, after a hash of the whole.
    """
    name = "".join(c if c.isascii() and (c.isalnum() or c in "_.-") else f"%{ord(c):02x}" for c in subject)
    return name if len(name) <= _LONG else f"~{sha256(name.encode()).hexdigest()[:16]}~{name[-_LONG // 2:]}"
