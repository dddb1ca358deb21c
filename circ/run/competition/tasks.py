"""What the verification competition brings along: property files, task files, one verdict for a whole program in a given time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from circ import engines
from circ.report.assumptions import assuming
from circ.report.summary import FileReport, file_status
from circ.run.check import Plan, answers
from circ.run.schedule import NamedQuestion
from circ.verdict import Answer, Observer, Property, RaceOn, Refuted
from frontend.program import Assumption, FrontendError, Ground, Location, Program, read_data
from frontend.records import dataclass

_PROPERTIES = {"data-race": Property.RACES, "call(reach_error())": Property.ASSERTS}


# --------------------------------------------------------------------------------------------------- files
def read_property(path: str) -> Property:
    """What a property file asks for, `races` or `asserts`."""
    text = read_data(path)
    found = re.fullmatch(r"CHECK\(init\(main\(\)\),LTL\(G!(.*)\)\)", "".join(text.split()))
    if found is None or found.group(1) not in _PROPERTIES:
        raise FrontendError(Location(path, 1), "a property that cannot be checked", "no-data-race and unreach-call can")
    return _PROPERTIES[found.group(1)]


@dataclass(frozen=True, slots=True)
class Task:
    """A task file: the programs, relative to it, and their data model if it names one."""

    files: tuple[str, ...]
    data_model: str | None


_LONGEST_TASK = 100_000
_DEEPEST_TASK = 40


def _refuse_bombs(text: str, path: str) -> None:
    """A few aliases stand for terabytes, and brackets that are not closed take time by the square of their number."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        bomb = "an alias" if isinstance(event, yaml.AliasEvent) else "too deeply nested" if depth > _DEEPEST_TASK else ""
        if bomb:
            raise FrontendError(Location(path, event.start_mark.line + 1), f"no YAML of a task: {bomb}", "name a task definition")


def read_task(path: str) -> Task:
    """The programs of a task definition (format 1.0 or 2.x), and the data model that it names."""
    import yaml

    text = read_data(path)
    if len(text) > _LONGEST_TASK:
        raise FrontendError(Location(path, 1), f"no task file: more than {_LONGEST_TASK} characters", "name a task definition")
    try:
        _refuse_bombs(text, path)
        task = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = 1 if error.problem_mark is None else error.problem_mark.line + 1
        raise FrontendError(Location(path, line), f"no YAML: {error.problem}", "name a task definition") from None
    except (yaml.YAMLError, ValueError) as error:
        raise FrontendError(Location(path, 1), f"no YAML: {str(error).splitlines()[0]}", "name a task definition") from None
    named = task.get("input_files") if isinstance(task, dict) else None
    files = [named] if isinstance(named, str) else named
    if not isinstance(files, list) or not files or not all(isinstance(f, str) and f for f in files):
        raise FrontendError(Location(path, 1), "a task file without input_files", "input_files: program.c")
    options = task.get("options")
    model = (options if isinstance(options, dict) else {}).get("data_model", task.get("data_model"))
    return Task(tuple(str(Path(path).parent / f) for f in files), model.lower() if isinstance(model, str) else None)


# --------------------------------------------------------------------------------------------------- time
def until_a_race(program: Program, asked: Sequence[NamedQuestion], plan: Plan, deadline: float | None,
                 observer: Observer) -> Iterator[Answer]:
    """Answers until the first race, all before the deadline.

    What is cheap is done for all questions first. How far each part of the work goes is counted, never timed: the deadline is the
    only thing that cuts one short, so that two runs that end before it agree. First of all a few random runs look for a race on
    any of the variables: if there is one, nothing else need be asked.
    """
    plan = replace(plan, deadline=deadline, budget=None, limits=replace(plan.limits, timeout=None))
    if plan.engine == engines.DEFAULT and len(asked) > 1:
        race = race_by_runs("chase", program, asked, plan, observer)
        if race is not None:
            yield race
            return
    for answer in answers(program, asked, plan, observer):
        yield answer
        if isinstance(answer.verdict, Refuted):
            return


def race_by_runs(engine: str, program: Program, asked: Sequence[NamedQuestion], plan: Plan, observer: Observer) -> Answer | None:
    """The first race that random runs with little effort come across."""
    runs = replace(plan, engine=engine, options=replace(plan.options, max_states=0), possible=False)
    return next((a for a in answers(program, asked, runs, observer) if isinstance(a.verdict, Refuted)), None)


def race_by_orders(program: Program, asked: Sequence[NamedQuestion], plan: Plan, deadline: float | None,
                   observer: Observer) -> Answer | None:
    """A race that memory orders make, of those that few random runs come across.

    The competition's memory model is sequential consistency. What its tasks mean by a weaker order is that the program is right
    under C11 as well: where a run of C11 shows a race, that is the answer, else the program is one with `seq_cst` accesses.
    """
    return race_by_runs("weak-runs", program, asked, replace(plan, deadline=deadline, budget=None,
                                                             limits=replace(plan.limits, timeout=None)), observer)


# --------------------------------------------------------------------------------------------------- the last line
ALLOWED: Mapping[Ground, str] = {
    Ground.DEFINED: "a task does nothing undefined but what its property asks about",
    Ground.BOUNDED: "allocation never fails, and memory, threads and counters suffice",
    Ground.ORDERED: "the memory model is sequential consistency",
    Ground.ABSENT: "a task is a whole program: functions without a body give any value and do nothing else",
    Ground.ALONE: "a task is a whole program, and no hardware takes part in it",
    Ground.COVERED: "nothing is taken for granted",
}
"""All that `true` may rest on, and the competition's rule that says so. What has another ground makes the answer `unknown`."""


def not_allowed(reports: Sequence[FileReport]) -> tuple[Assumption, ...]:
    """What the proofs rest on beside the competition's own rules."""
    return tuple(dict.fromkeys(a for r in reports if r.result for a in assuming(r.result) if a.ground not in ALLOWED))


def verdict_line(reports: Sequence[FileReport], finished: bool) -> str:
    """The competition's word for all that was found; `finished`: nothing is left to ask."""
    found = [a for r in reports if r.result for a in r.result.answers if isinstance(a.verdict, Refuted)]
    if found:
        return "false(no-data-race)" if isinstance(found[0].question, RaceOn) else "false(unreach-call)"
    proved = finished and reports and all(file_status(r) == 0 for r in reports)
    return "true" if proved and not not_allowed(reports) else "unknown"
