"""Proofs and traces as files: canonical JSON that says how to load the same program again (docs/certificate.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, TypeAlias

from circ.kernel.outcome import Malformed
from circ.kernel.untrusted_json import as_integer, as_list, as_object, as_text
from circ.verdict import Assertions, AtomicityOf, Certificate, Choice, Property, RaceOn, Step, Trace, UserQuestion
from frontend import LoadOptions
from frontend.program import CALLER, DATA_MODELS, Ints, MemoryModel, Preemption, Program, RaceModel, Role

VERSION = 1

Evidence: TypeAlias = Certificate | Trace

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "data_model": tuple(DATA_MODELS), "ints": tuple(Ints), "race_model": tuple(RaceModel), "preemption": tuple(Preemption),
    "memory_model": tuple(MemoryModel)}
_NOT_A_TEXT = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")
"""What neither a command line nor a file can hold: Python reads bytes that are not UTF-8 as U+DC80 to U+DCFF."""

_TOP = {"version", "kind", "program", "question", "options", "body"}


class UnreadableCertificate(Exception):
    """The text is not a certificate or trace of this version."""


def dump(evidence: Evidence, options: LoadOptions) -> str:
    """One line of JSON, keys sorted: equal evidence gives equal bytes."""
    match evidence:
        case Certificate(kind=kind, body=body):
            pass
        case Trace():
            kind, body = "trace", _trace_body(evidence)
    data = {"version": VERSION, "kind": kind, "program": evidence.program, "question": _question_data(evidence.question),
            "options": asdict(options), "body": body}
    return json.dumps(data, sort_keys=True, separators=(",", ":")) + "\n"


def parse(text: str) -> tuple[Evidence, LoadOptions]:
    """What `dump` wrote; anything that is missing, unknown or of another type is refused."""
    try:
        data = json.loads(text, object_pairs_hook=_no_duplicates, parse_constant=_no_constants)
    except (ValueError, RecursionError) as error:
        raise UnreadableCertificate(f"not JSON: {error}") from error
    try:
        return _evidence(as_object(data, "the file", _TOP))
    except Malformed as error:
        raise UnreadableCertificate(str(error)) from error


def _evidence(top: Mapping[str, Any]) -> tuple[Evidence, LoadOptions]:
    if type(top["version"]) is not int or top["version"] != VERSION:
        raise Malformed(f"version {top['version']!r}, this circ reads version {VERSION}")
    kind, program = _text(top["kind"], "kind"), _text(top["program"], "program")
    question = _question(top["question"])
    options = _options(top["options"])
    if kind == "trace":
        return _trace(top["body"], program, question), options
    if not isinstance(top["body"], dict):
        raise Malformed("body is not an object")
    return Certificate(program, question, kind, top["body"]), options


# --------------------------------------------------------------------------------------------------- other readings
def missing_threads(own: Program, read: Program) -> list[str]:
    """Which threads of the program, as its files have it, a proof about another reading of them does not speak of.

    Callers that are made for a part of a program are no threads of its own: to name its threads is to say who they are.
    """
    counts = {t.name: t.count for t in read.templates}
    part = any(f.name.startswith(CALLER) for f in own.functions)
    missing: list[str] = []
    for template in own.templates:
        if part and (template.role is Role.MAIN or template.name.startswith(CALLER)):
            continue
        many = "any number" if template.count is None else str(template.count)
        if template.name not in counts:
            missing.append(f"{template.name} ({many}) is left out")
        elif (known := counts[template.name]) is not None and (template.count is None or known < template.count):
            missing.append(f"{template.name} ({known}) instead of {template.name} ({many})")
    return missing


# --------------------------------------------------------------------------------------------------- writing
def _question_data(question: UserQuestion) -> dict[str, str]:
    match question:
        case RaceOn(variable=v):
            return {"property": Property.RACES.value, "variable": v}
        case Assertions():
            return {"property": Property.ASSERTS.value}
        case AtomicityOf(variable=v):
            return {"property": Property.ATOMICITY.value, "variable": v}


def _choice_data(c: Choice) -> list[Any]:
    return [c.variable, c.value, c.index, c.thread]


def _trace_body(trace: Trace) -> dict[str, Any]:
    return {
        "threads": list(trace.threads),
        "start": [_choice_data(c) for c in trace.start],
        "steps": [[s.thread, s.edge, [_choice_data(c) for c in s.choices], *([] if s.source is None else [s.source])]
                  for s in trace.steps],
        "accesses": [list(a) for a in trace.accesses],
        **({} if trace.earlier is None else {"earlier": trace.earlier}),
    }


# --------------------------------------------------------------------------------------------------- reading
def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({k for k, _ in pairs}) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return dict(pairs)


def _no_constants(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _text(value: Any, what: str) -> str:
    text = as_text(value, what)
    if _NOT_A_TEXT.search(text):
        raise Malformed(f"{what} has characters that no text has")
    return text


def _question(data: Any) -> UserQuestion:
    if isinstance(data, dict) and data.get("property") == Property.ASSERTS:
        as_object(data, "question", {"property"})
        return Assertions()
    question = as_object(data, "question", {"property", "variable"})
    variable = _text(question["variable"], "variable")
    match question["property"]:
        case Property.RACES:
            return RaceOn(variable)
        case Property.ATOMICITY:
            return AtomicityOf(variable)
    raise Malformed(f"unknown property {question['property']!r}")


def _options(data: Any) -> LoadOptions:
    values = as_object(data, "options", {f.name for f in fields(LoadOptions)})
    made: dict[str, Any] = {}
    for f in fields(LoadOptions):
        value = values[f.name]
        if isinstance(f.default, tuple):
            made[f.name] = tuple(_text(v, f"option {f.name}") for v in as_list(value, f"option {f.name}"))
        elif isinstance(f.default, bool):
            if not isinstance(value, bool):
                raise Malformed(f"option {f.name} is neither true nor false")
            made[f.name] = value
        else:
            made[f.name] = None if value is None and f.default is None else _text(value, f"option {f.name}")
        if f.name in _CHOICES and made[f.name] is not None and made[f.name] not in _CHOICES[f.name]:
            raise Malformed(f"option {f.name} is none of {', '.join(_CHOICES[f.name])}")
    if len(made["interrupts"]) not in (0, 2):
        raise Malformed("option interrupts is not a name and a text")
    return LoadOptions(**made)


def _choice(data: Any) -> Choice:
    variable, value, index, thread = as_list(data, "a choice", 4)
    return Choice(_text(variable, "variable"), as_integer(value, "value"),
                  None if index is None else as_integer(index, "index"), None if thread is None else as_integer(thread, "thread"))


def _trace(data: Any, program: str, question: UserQuestion) -> Trace:
    earlier = {"earlier"} if isinstance(data, dict) and "earlier" in data else set()
    body = as_object(data, "body", {"threads", "start", "steps", "accesses"} | earlier)
    steps = []
    for step in as_list(body["steps"], "steps"):
        thread, edge, choices, *source = as_list(step, "a step", 4 if isinstance(step, list) and len(step) == 4 else 3)
        made = tuple(map(_choice, as_list(choices, "choices")))
        steps.append(Step(as_integer(thread, "thread"), as_integer(edge, "edge"), made,
                          as_integer(source[0], "source") if source else None))
    accesses = []
    for access in as_list(body["accesses"], "accesses"):
        t, e, a = (as_integer(n, "access") for n in as_list(access, "an access", 3))
        accesses.append((t, e, a))
    return Trace(program, question, tuple(_text(t, "thread") for t in as_list(body["threads"], "threads")),
                 tuple(map(_choice, as_list(body["start"], "start"))), tuple(steps), tuple(accesses),
                 as_integer(body["earlier"], "earlier") if earlier else None)
