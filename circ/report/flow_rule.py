"""The flow rule of the nesC compiler, as a triage report: what a handler shares must be accessed inside atomic sections.

Code that runs while interrupts are off for certain counts as atomic: what `main` does before they are switched on, handlers
that are entered with them off, up to where these switch them on, and `cli(); ...; sei();`.

The rule looks at no order of events, so it complains about every protocol other than `atomic`. Beside each of its alarms
stands circ's verdict on the variable: `safe` means that the alarm is false, and that there is a proof of it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from frontend.program import (
    Access,
    Assign,
    Const,
    Edge,
    Havoc,
    Op,
    Program,
    RaceModel,
    Role,
    ThreadTemplate,
    Values,
    op_writes,
    primitive,
)
from frontend.program.schedule_ghosts import IE
from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Alarm:
    """An access outside atomic sections to a variable that is shared with a handler: where, and by which handlers."""

    variable: str
    place: str
    write: bool
    handlers: str


def alarms(program: Program) -> tuple[Alarm, ...]:
    """The rule's complaints, variables in the order of their declaration, places in the order of the text.

    A variable of the program text (no register) counts if some handler accesses it, somebody writes it, and it is not
    the handler's alone: another template, or another copy of the handler, accesses it as well.
    """
    found: list[Alarm] = []
    on = {t.name: _interrupted(program, t) for t in program.templates}
    for variable in program.shared:
        users = [t for t in program.templates if _accesses(t, variable.name, on[t.name], program.race_model)]
        handlers = [t for t in users if t.role is Role.HANDLER]
        everything = [a for t in users for a in _accesses(t, variable.name, on[t.name], program.race_model)]
        alone = len(users) == 1 and users[0].count == 1
        register = not variable.object or variable.name.startswith("*")
        if register or not handlers or alone or variable.norace or not any(a.write for a, _ in everything):
            continue
        names = ", ".join(t.name for t in handlers)
        plain = {(a.location, a.write) for a, protected in everything if not protected}
        found += [Alarm(variable.shown or variable.name, str(place), write, names) for place, write in sorted(plain)]
    return tuple(found)


def _interrupted(program: Program, template: ThreadTemplate) -> Container[int]:
    """Locations where interrupts may be on."""
    cfa = template.cfa
    known = any(IE.name in op_writes(e.op) for e in cfa.edges)
    if template.masked and not known:
        return ()
    starts = [v.start for v in program.globals if v.name == IE.name]
    out = cfa.leaving()
    seen = {(cfa.start, template.role is not Role.MAIN or starts != [Values(0)])}
    work = list(seen)
    while work:
        location, before = work.pop()
        for e in out[location]:
            for after in _switched(e.op, before):
                if (e.target, after) not in seen:
                    seen.add((e.target, after))
                    work.append((e.target, after))
    return {location for location, switched in seen if switched}


def _switched(op: Op, on: bool) -> set[bool]:
    """Whether interrupts may be on, may be off behind the operation."""
    after = {on}
    for part in primitive(op):
        match part:
            case Assign(target=target, value=value) if target == IE:
                after = {bool(value.value)} if isinstance(value, Const) else {False, True}
            case Havoc(targets=targets) if IE in targets:
                after = {False, True}
    return after


def _accesses(template: ThreadTemplate, variable: str, on: Container[int], model: RaceModel) -> list[tuple[Access, bool]]:
    """The accesses of a thread to a variable that are data, and whether each is where nothing can interrupt it."""
    def section(e: Edge) -> bool:
        atomic = template.cfa.atomic  # protected means something else on machines
        return e.source in atomic or e.target in atomic if model is RaceModel.MACHINE else e.protected

    return [(a, section(e) or e.source not in on) for e in template.cfa.edges for a in e.accesses
            if a.variable == variable and a.is_data]


def flow_text(found: Sequence[Alarm], verdicts: Mapping[str, str]) -> str:
    """The report on one file: each alarm, and what circ says of its variable."""
    lines = list(_lines(found, verdicts))
    return "".join(f"{line}\n" for line in lines)


def _lines(found: Sequence[Alarm], verdicts: Mapping[str, str]) -> Iterator[str]:
    for alarm in found:
        how = "writes" if alarm.write else "reads"
        yield (f"{alarm.place}: flow rule: {how} '{alarm.variable}' outside atomic, shared with {alarm.handlers}: "
               f"{_MEANING.get(verdicts.get(alarm.variable, ''), 'not checked')}")
    counts = flow_counts(found, verdicts)
    if found:
        told = ", ".join(f"{n} {what}" for what, n in counts.items() if n)
        yield f"flow rule: {len(found)} accesses to {len({a.variable for a in found})} variables: {told}"


_MEANING = {"safe": "a false alarm, circ proves it safe", "race": "circ finds a race on it", "unknown": "undecided",
            "possible race": "undecided, nothing known excludes a race"}


def flow_data(found: Sequence[Alarm], verdicts: Mapping[str, str]) -> dict[str, Any]:
    """The report on one file as JSON data."""
    return {"alarms": [{**asdict(a), "verdict": verdicts.get(a.variable)} for a in found], "counts": flow_counts(found, verdicts)}


def flow_counts(found: Sequence[Alarm], verdicts: Mapping[str, str]) -> dict[str, int]:
    """How many of the alarms are about variables that circ proves, refutes, or leaves open."""
    counts = {"false alarms": 0, "on variables that race": 0, "undecided": 0}
    for alarm in found:
        match verdicts.get(alarm.variable):
            case "safe":
                counts["false alarms"] += 1
            case "race":
                counts["on variables that race"] += 1
            case _:
                counts["undecided"] += 1
    return counts
