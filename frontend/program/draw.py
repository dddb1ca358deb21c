"""Control-flow automata for people: as text, JSON, DOT and SVG.

The drawing follows Figure 1(b) of the CIRC paper: numbered circles, `*` at atomic locations, assignments in boxes,
assumes in brackets. Beside each step stand its shared accesses (`r x`, `w x`), beside each location its source line.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator
from html import escape
from typing import Any

from frontend.program.cfa import Access, AccessKind, Cfa, Edge, MemoryOrder
from frontend.program.display import DisplayNames
from frontend.program.exact import exact_op
from frontend.program.expr import show_lvalue
from frontend.program.ops import SKIP, Assume, Op, primitive, show_op
from frontend.program.program import Arbitrary, Program, Self, Start, ThreadTemplate, Values, Variable
from frontend.program.source import NOWHERE, FrontendError, Location

FORMAT_VERSION = 1

_MARK = {kind: "" if kind is AccessKind.DATA else f" {kind.value}" for kind in AccessKind}


def draw(program: Program, form: str) -> str:
    """The program's automata in the format `text`, `json`, `dot` or `svg`, ending in a newline; always the same bytes."""
    renderers = {"text": as_text, "json": as_json, "dot": as_dot, "svg": as_svg}
    return renderers[form](program)


# --------------------------------------------------------------------------------------------------- pieces
def show_access(access: Access, names: DisplayNames) -> str:
    """`w x`, `r a[i]`, `w a[..]` for any element; an atomic or synchronising access says so."""
    order = "" if access.order is MemoryOrder.SEQ_CST else f" {access.order.value}"
    return f"{'w' if access.write else 'r'} {names.cell(access)}{_MARK[access.kind]}{order}"


def show_accesses(edge: Edge, names: DisplayNames) -> str:
    """The shared accesses of a step, `(r x, w y)`, or nothing."""
    return f"({', '.join(show_access(a, names) for a in edge.accesses)})" if edge.accesses else ""


def show_count(template: ThreadTemplate) -> str:
    """How many copies of the template run, in words."""
    match template.count:
        case None:
            return "any number of copies"
        case 1:
            return "1 copy"
        case n:
            return f"{n} copies"


def show_start(start: Start) -> str:
    """A variable's start value as a C reader would write it."""
    match start:
        case Values(default=d, elements=()):
            return str(d)
        case Values(default=d, elements=es):
            return "{" + ", ".join([*(f"[{i}] = {v}" for i, v in es), f"others {d}"]) + "}"
        case Arbitrary():
            return "*"
        case Self(offset=0):
            return "self"
        case Self(offset=n):
            return f"self + {n}"


def _show_variable(v: Variable, name: str) -> str:
    size = "" if v.length is None else "[]" if v.length >= 1 << 62 else f"[{v.length}]"
    return f"{name}{size}:{v.type} = {show_start(v.start)}"


def _node(cfa: Cfa, q: int) -> str:
    return f"{q}*" if q in cfa.atomic else str(q)


def _marks(cfa: Cfa, q: int) -> Iterator[str]:
    if q in cfa.critical:
        yield "critical"
    if q in cfa.errors:
        error = cfa.errors[q]
        yield f"error: {error.text or error.kind.value}"


def _place(cfa: Cfa, q: int, file: str) -> str:
    """The source line of a location; the file's name only where it is not the program's own."""
    place = cfa.places.get(q, NOWHERE)
    if place.line == 0:
        return ""
    return f"line {place.line}" if place.file == file else f"{place.file}:{place.line}"


def _is_assume(op: Op) -> bool:
    parts = tuple(primitive(op))
    return bool(parts) and all(isinstance(p, Assume) for p in parts)


# --------------------------------------------------------------------------------------------------- text
def as_text(program: Program) -> str:
    """One paragraph a template, one line an edge: where from, source line, step, accesses, where to."""
    lines = [f"program {program.file}: {program.data_model}, {program.ints} integers, race model {program.race_model}, "
             f"{program.preemption} preemption"]
    if program.globals:
        lines.append("globals: " + ", ".join(_show_variable(v, v.shown or v.name) for v in program.globals))
    for template in program.templates:
        lines += ["", *_template_text(program, template)]
    lines += [f"assuming: {a}" for a in program.assumptions]
    lines += [f"warning: {w}" for w in program.warnings]
    return "\n".join(lines) + "\n"


def _template_text(program: Program, template: ThreadTemplate) -> Iterator[str]:
    cfa, file, names = template.cfa, program.file, DisplayNames(program, template)
    yield (f"{template.role.value} {template.name}, {show_count(template)}: {cfa.size} locations, "
           f"{len(cfa.edges)} edges, start {cfa.start}")
    if template.locals:
        yield "  locals: " + ", ".join(_show_variable(v, names.variable(v.name)) for v in template.locals)
    rows: list[tuple[str, str, str, str]] = []
    for q, edges in enumerate(cfa.leaving()):
        name, place = _node(cfa, q), _place(cfa, q, file)
        for e in edges:
            step = f"{names.op(e.op)}   {show_accesses(e, names)}".rstrip()
            rows.append((name, place, f"--> {_node(cfa, e.target)}", step))
        marks = ", ".join(_marks(cfa, q))
        if marks or not edges:
            rows.append((name, place, "", marks or "end"))
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(3)]
    for row in rows:
        yield "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=False)) + "  " + row[3]


# --------------------------------------------------------------------------------------------------- JSON
def as_json(program: Program) -> str:
    """The automata as data (docs/json.md); `exact` has every type and cast, `op` is what a person reads."""
    data = {
        "format": "circ-cfa",
        "version": FORMAT_VERSION,
        "file": program.file,
        "data_model": program.data_model,
        "ints": program.ints,
        "race_model": program.race_model,
        "preemption": program.preemption,
        "fingerprint": program.fingerprint(),
        "globals": [_variable_data(v) for v in program.globals],
        "templates": [_template_data(t) for t in program.templates],
        "assumptions": [{"text": a.text, "location": _location_data(a.location)} for a in program.assumptions],
        "warnings": [{"text": w.text, "location": _location_data(w.location)} for w in program.warnings],
    }
    return json.dumps(data, indent=1) + "\n"


def _location_data(place: Location) -> dict[str, Any] | None:
    return None if place.line == 0 else {"file": place.file, "line": place.line, "column": place.column}


def _variable_data(v: Variable) -> dict[str, Any]:
    return {"name": v.name, "shown": v.shown or v.name, "type": str(v.type), "length": v.length, "start": show_start(v.start),
            "ghost": v.ghost, "volatile": v.volatile, "location": _location_data(v.location)}


def _template_data(template: ThreadTemplate) -> dict[str, Any]:
    cfa = template.cfa
    return {
        "name": template.name,
        "role": template.role.value,
        "count": template.count,
        "start": cfa.start,
        "locals": [_variable_data(v) for v in template.locals],
        "locations": [
            {"id": q, "atomic": q in cfa.atomic, "critical": q in cfa.critical,
             "error": cfa.errors[q].kind.value if q in cfa.errors else None,
             "location": _location_data(cfa.places.get(q, NOWHERE))}
            for q in range(cfa.size)
        ],
        "edges": [
            {"source": e.source, "target": e.target, "op": show_op(e.op), "exact": exact_op(e.op), "protected": e.protected,
             "text": e.text, "location": _location_data(e.location),
             "accesses": [{"variable": a.variable, "cell": show_lvalue(a.lvalue), "write": a.write, "kind": a.kind.value,
                           "whole": a.whole, "text": a.text, "location": _location_data(a.location)} for a in e.accesses]}
            for e in cfa.edges
        ],
    }


# --------------------------------------------------------------------------------------------------- DOT, SVG
def as_dot(program: Program) -> str:
    """One cluster a template; locations are named `<template number>_<location>`."""
    lines = ["digraph circ {", '  graph [fontname="Helvetica", fontsize=12, labeljust=l, forcelabels=true];',
             '  node [shape=circle, fixedsize=true, width=0.42, fontname="Helvetica", fontsize=12];',
             '  edge [fontname="Courier", fontsize=11, arrowsize=0.7];']
    for number, template in enumerate(program.templates):
        lines += _cluster(number, program, template)
    return "\n".join([*lines, "}"]) + "\n"


def _cluster(number: int, program: Program, template: ThreadTemplate) -> Iterator[str]:
    cfa, names = template.cfa, DisplayNames(program, template)
    title = f"{template.role.value} {template.name}, {show_count(template)}"
    yield f"  subgraph cluster_{number} {{"
    yield f"    label={quoted(title)}; color=gray80; margin=18;"
    yield f'    "{number}_in" [shape=point, width=0.05, label=""]; "{number}_in" -> "{number}_{cfa.start}";'
    for q in range(cfa.size):
        notes = [*filter(None, [_place(cfa, q, program.file)]), *_marks(cfa, q)]
        attributes = [f"label={quoted(_node(cfa, q))}"]
        if notes:
            attributes.append(f"xlabel=<{_small(', '.join(notes))}>")
        if q in cfa.errors:
            attributes += ["shape=doublecircle", "color=red"]
        if q in cfa.critical:
            attributes += ["style=filled", "fillcolor=gray90"]
        yield f'    "{number}_{q}" [{", ".join(attributes)}];'
    for edge in cfa.edges:
        yield f'    "{number}_{edge.source}" -> "{number}_{edge.target}" [label={_edge_label(edge, names)}];'
    yield "  }"


def _edge_label(edge: Edge, names: DisplayNames) -> str:
    """Assignments stand in a box, assumes as they are, and a step that does nothing has no text."""
    accesses = _small(show_accesses(edge, names)) if edge.accesses else ""
    if edge.op == SKIP:
        return f"<{accesses}>" if accesses else '""'
    lines = "<BR/>".join(_html(names.op(p)) for p in primitive(edge.op))
    border = 0 if _is_assume(edge.op) else 1
    below = f"<TR><TD>{accesses}</TD></TR>" if accesses else ""
    return ('<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1">'
            f'<TR><TD BORDER="{border}" CELLPADDING="3">{lines}</TD></TR>{below}</TABLE>>')


def _small(text: str) -> str:
    return f'<FONT POINT-SIZE="8" COLOR="gray40">{_html(text)}</FONT>'


def _html(text: str) -> str:
    """Text inside an HTML-like label; what XML cannot carry is shown as an escape."""
    return escape("".join(c if c.isprintable() else repr(c)[1:-1] for c in text))


def quoted(text: str) -> str:
    """A text as a string of DOT."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def as_svg(program: Program) -> str:
    """The drawing laid out by Graphviz's `dot`."""
    drawing = laid_out(as_dot(program))
    if drawing is None:
        raise FrontendError(Location(program.file, 1), "drawing needs Graphviz and pygraphviz",
                            "pip install 'circ[draw]', or --format dot")
    return drawing


def laid_out(dot: str) -> str | None:
    """A graph of DOT as SVG; None if Graphviz is not there."""
    try:
        import pygraphviz  # Graphviz costs a quarter of a second to load
    except ImportError:
        return None

    graph = pygraphviz.AGraph(string=dot)
    with _without_chatter():
        return str(graph.draw(format="svg", prog="dot").decode())


@contextlib.contextmanager
def _without_chatter() -> Iterator[None]:
    """Libraries below Graphviz complain about a machine's fonts on stderr; errors are exceptions and come through."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
