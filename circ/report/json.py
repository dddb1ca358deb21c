"""The report for programs: versioned JSON (docs/json.md), keys in a fixed order, times only under `time`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, assert_never

from circ.report.assumptions import assuming, sequentially_consistent
from circ.report.findings import Finding
from circ.report.flow_rule import alarms, flow_data
from circ.report.forms import FailOn
from circ.report.possible import possible_data
from circ.report.rerun import Rerun
from circ.report.summary import FileReport, counts, file_status
from circ.verdict import (
    Answer,
    RaceOn,
    Refuted,
    Result,
    Safe,
    Statistics,
    Trace,
    Unknown,
    property_of,
    subjects,
    variable_of,
    word,
)
from frontend import LoadOptions
from frontend.program import Assumption, Location, Program

VERSION = 1


def report_json(
    reports: Sequence[FileReport], source: LoadOptions, options: Mapping[str, object], status: int, flow_rule: bool = False,
    fail_on: FailOn = FailOn.UNKNOWN,
) -> str:
    """One JSON document for a whole run."""
    data = {
        "format": "circ-report",
        "version": VERSION,
        "circ": circ_version(),
        "options": {**asdict(source), **options},
        "files": [_file(r, flow_rule, fail_on) for r in reports],
        "summary": counts(reports),
        "status": status,
    }
    return json.dumps(data, indent=1) + "\n"


def answer_json(result: Result, answer: Answer, finding: Finding) -> dict[str, Any]:
    """One answer as it stands in the document, as plain data."""
    data: dict[str, Any] = json.loads(json.dumps(_answer(result, answer, finding)))
    return data


def circ_version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # much to load, for those who print it

    try:
        return version("circ")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "unknown"


def _file(report: FileReport, flow_rule: bool, fail_on: FailOn) -> dict[str, Any]:
    error = report.error
    data: dict[str, Any] = {
        "file": report.file,
        "error": error and {"location": _location(error.location), "message": error.message, "hint": error.hint},
        "bug": report.bug or None,
        "limit": report.limit or None,
        "complete": report.complete,
        "status": file_status(report, fail_on),
        "program": report.result and _program(report.result),
        "answers": [_answer(report.result, a, f) for a, f in zip(report.result.answers, report.findings, strict=True)]
                   if report.result else [],
    }
    if flow_rule and report.result:
        said = {a.shown: word(a.question, a.verdict) for a in report.result.answers}
        data["flow_rule"] = flow_data(alarms(report.result.program), said)
    return data


def _program(result: Result) -> dict[str, Any]:
    program = result.program
    return {
        "fingerprint": program.fingerprint(),
        "files": list(program.files),
        "data_model": program.data_model,
        "ints": program.ints,
        "race_model": program.race_model,
        "preemption": program.preemption,
        "threads": [{"name": t.name, "role": t.role.value, "count": t.count, "locations": t.cfa.size, "edges": len(t.cfa.edges),
                     "location": _location(t.location)} for t in program.templates],
        "shared": [v.shown or v.name for v in subjects(program)],
        "assuming": [_assumption(a) for a in assuming(result)],
        "sequentially_consistent": sequentially_consistent(result),
        "warnings": [_assumption(w) for w in program.warnings],
    }


def _answer(result: Result, answer: Answer, finding: Finding) -> dict[str, Any]:
    program = result.program
    data: dict[str, Any] = {
        "property": property_of(answer.question).value,
        "variable": None if variable_of(answer.question) is None else answer.shown,
        "verdict": word(answer.question, answer.verdict),
        "engine": answer.engine,
        "fingerprint": finding.fingerprint,
        "suppressed": finding.suppressed or None,
        "in_baseline": finding.known,
    }
    match answer.verdict:
        case Safe(certificate=c, why=why, trivial=trivial):
            data |= {"why": list(why), "trivial": trivial, "certificate": c.kind,
                     "assuming": [_assumption(a) for a in assuming(result, answer)]}
        case Refuted(trace=trace):
            data |= {"trace": _trace(program, trace)}
        case Unknown(reason=reason, tried=tried, advice=advice, bug=bug, where=where, details=details, possible=possible):
            data |= {"reason": reason, "tried": list(tried), "advice": advice, "bug": bool(bug)}
            if where.line:
                data |= {"location": _location(where), "details": list(details)}
            if possible is not None:
                data |= {"possible": possible_data(possible)}
        case _:
            assert_never(answer.verdict)
    return data | {"warnings": [_assumption(w) for w in answer.warnings], **_statistics(answer.verdict.statistics)}


def _trace(program: Program, trace: Trace) -> dict[str, Any]:
    rerun = Rerun(program, trace)
    data: dict[str, Any] = {"threads": list(trace.threads)}
    if isinstance(trace.question, RaceOn):
        data["accesses"] = [{"thread": m.thread + 1, "location": _location(m.location), "write": m.write, "cell": m.cell,
                             "text": m.text} for m in rerun.meeting()]
        data |= {"harm": harm} if (harm := rerun.harm()) else {}
    else:
        failure = rerun.failure()
        data["failure"] = {"location": _location(failure.location), "text": failure.text}
    data["steps"] = [{"thread": r.thread + 1, "location": _location(r.location), "text": r.text,
                      "values": [{"variable": v.name, "value": v.value} for v in r.values]} for r in rerun.rows]
    return data


def _statistics(s: Statistics) -> dict[str, Any]:
    return {
        "statistics": {"predicates": list(s.predicates), "acfa": dict(s.acfa), "context": list(s.context), "k": s.k,
                       "rounds": s.rounds, "states": s.states, "queries": s.queries},
        "time": {name: round(seconds, 3) for name, seconds in s.seconds.items()},
    }


def _assumption(a: Assumption) -> dict[str, Any]:
    return {"text": a.text, "location": _location(a.location)}


def _location(place: Location) -> dict[str, Any] | None:
    return None if place.line == 0 else {"file": place.file, "line": place.line, "column": place.column}
