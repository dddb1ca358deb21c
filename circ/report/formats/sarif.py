"""SARIF 2.1.0, for code scanning services and for viewers: https://docs.oasis-open.org/sarif/sarif/v2.1.0/

A run that shows a race is a `codeFlow` with one `threadFlow` a thread; `executionOrder` says how their steps interleave. Proofs
are results of kind `pass`, possible races `review`, what is unknown `open`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from circ.report.findings import Finding, FoundAccess
from circ.report.formats.paths import from_here
from circ.report.gcc import access_text, step_text
from circ.report.json import circ_version
from circ.report.rows import Head, Scanned
from frontend.program import Location

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_RULES: Mapping[str, tuple[str, str, str]] = {
    "race": ("DataRace", "A data race", "Two threads can access the same memory at the same time, at least one of them "
                  "writing. The code flow is a run of the program that leads there."),
    "assertion": ("ViolatedAssertion", "A violated assertion", "A run of the program violates an assertion, an invariant or "
                       "an annotation. The code flow is that run."),
    "possible-race": ("PossibleRace", "A possible race", "Nothing that is known keeps two conflicting accesses apart, but "
                           "no run is known in which they meet either."),
    "unknown": ("NotDecided", "Not decided", "Neither a proof nor a run that shows the opposite was found."),
    "safe": ("Proved", "Proved", "A proof was found, and checked by an independent kernel."),
    "input": ("NotReadable", "Not readable", "A file could not be read as C."),
}
_RULE = {"race": "race", "violated": "assertion", "possible race": "possible-race", "unknown": "unknown",
         "safe": "safe"}
_LEVEL = {"race": "error", "violated": "error"}
_KIND = {"race": "fail", "violated": "fail", "possible race": "review", "unknown": "open", "safe": "pass"}
_INDEX = {rule: number for number, rule in enumerate(_RULES)}


def sarif(files: Sequence[Scanned], status: int, finished: bool) -> str:
    """One SARIF log with one run."""
    notes = [_notification(f.head) for f in files if f.head.unread]
    run = {
        "tool": {"driver": {
            "name": "circ", "version": circ_version(),
            "rules": [_rule(name, *about) for name, about in _RULES.items()]}},
        "invocations": [{"executionSuccessful": finished and status in (0, 1, 3), "exitCode": status,
                         "toolExecutionNotifications": notes}],
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {"SRCROOT": {"uri": _folder_uri(os.getcwd())}},
        "results": [_result(row.finding) for f in files for row in f.rows],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule(name: str, short: str, title: str, text: str) -> dict[str, Any]:
    level = "error" if name in ("race", "assertion", "input") else "note"
    return {"id": name, "name": short, "shortDescription": {"text": title}, "fullDescription": {"text": text},
            "defaultConfiguration": {"level": level}}


def _notification(head: Head) -> dict[str, Any]:
    return {"descriptor": {"id": "input"}, "level": "error", "message": {"text": head.unread},
            "locations": [_location(head.unread_at)]}


def _result(finding: Finding) -> dict[str, Any]:
    rule = _RULE[finding.verdict]
    data: dict[str, Any] = {
        "ruleId": rule, "ruleIndex": _INDEX[rule], "kind": _KIND[finding.verdict], "level": _LEVEL.get(finding.verdict, "none"),
        "message": {"text": finding.message}, "locations": [_location(finding.place)],
        "partialFingerprints": {"circSubject/v1": finding.fingerprint},
        "properties": {"engine": finding.engine, "variable": finding.variable, "assuming": list(finding.assuming),
                       "why": list(finding.why), "advice": finding.advice, "warnings": list(finding.warnings)},
    }
    related = [_related(n, a) for n, a in enumerate(finding.accesses, 1)]
    if related:
        data["relatedLocations"] = related
    if finding.steps:
        data["codeFlows"] = [{"message": {"text": "A run that leads there"}, "threadFlows": list(_thread_flows(finding))}]
    elif any(a.path for a in finding.accesses):
        data["codeFlows"] = [{"message": {"text": "How the threads come there"}, "threadFlows": [
            {"id": f"{n} {a.thread}", "message": {"text": a.thread}, "locations": list(_path(a))}
            for n, a in enumerate(finding.accesses, 1)]}]
    if finding.suppressed:
        data["suppressions"] = [{"kind": "inSource", "justification": finding.suppressed}]
    if finding.verdict != "safe":
        data["baselineState"] = "unchanged" if finding.known else "new"
    return data


def _thread_flows(finding: Finding) -> Iterator[dict[str, Any]]:
    """One a thread that does something, its steps numbered as they follow each other in the run; the accesses come last."""
    end = len(finding.steps)
    for number, name in enumerate(finding.threads, 1):
        steps = [{"location": _location(step.location, step_text(step)), "executionOrder": n, "nestingLevel": 0,
                  "state": {v.variable: {"text": str(v.value)} for v in step.values}, "importance": "important"}
                 for n, step in enumerate(finding.steps, 1) if step.thread == number]
        steps += [{"location": _location(a.location, access_text(a)), "executionOrder": end + n, "importance": "essential"}
                  for n, a in enumerate(finding.accesses, 1) if a.number == number]
        if steps:
            yield {"id": f"thread {number}", "message": {"text": f"thread {number} ({name})"}, "locations": steps}


def _path(access: FoundAccess) -> Iterator[dict[str, Any]]:
    for name, place in zip(access.calls, access.path, strict=True):
        yield {"location": _location(place, f"calls {name}"), "importance": "important"}
    yield {"location": _location(access.location, access_text(access)), "importance": "essential"}


def _related(number: int, access: FoundAccess) -> dict[str, Any]:
    return {"id": number, **_location(access.location, access_text(access))}


def _location(place: Location, text: str = "") -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": max(1, place.line)}
    if place.column:
        region["startColumn"] = place.column
    data: dict[str, Any] = {"physicalLocation": {"artifactLocation": _artifact(place.file), "region": region}}
    return {**data, "message": {"text": text}} if text else data


def _artifact(file: str) -> dict[str, str]:
    path = from_here(file)
    return {"uri": f"file://{_quoted(path)}"} if os.path.isabs(path) else {"uri": _quoted(path), "uriBaseId": "SRCROOT"}


def _folder_uri(folder: str) -> str:
    return f"file://{_quoted(folder)}/"


def _quoted(path: str) -> str:
    return quote(os.fsencode(path))
