"""`frontend.program.draw`: the paper's Figure 1(b) in every format, awkward labels, and the same bytes each time."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from frontend.program import (
    SKIP,
    Access,
    AccessKind,
    Assign,
    Assume,
    Binary,
    Block,
    Cfa,
    Const,
    Edge,
    Element,
    ErrorKind,
    ErrorLocation,
    Havoc,
    Location,
    Program,
    Read,
    Scalar,
    ThreadTemplate,
    Var,
    Variable,
)
from frontend.program.display import DisplayNames
from frontend.program.draw import draw

INT = Scalar(32, True)
X, STATE, OLD = (Var(name, INT) for name in ("x", "state", "worker::old"))


def num(n: int) -> Const:
    return Const(n, INT)


def figure_1() -> Program:
    """The thread of Figure 1(a), by hand."""

    def at(line: int) -> Location:
        return Location("fig1.c", line, 3)

    def reads(v: Var) -> Access:
        return Access(v, False, at(1), v.name)

    def writes(v: Var) -> Access:
        return Access(v, True, at(1), v.name)

    edges = (
        Edge(0, 1, SKIP, (), True, at(6)),
        Edge(1, 2, Assign(OLD, Read(STATE)), (reads(STATE),), True, at(7)),
        Edge(2, 3, Assume(Binary("==", Read(STATE), num(0))), (reads(STATE),), True, at(8)),
        Edge(2, 4, Assume(Binary("!=", Read(STATE), num(0))), (reads(STATE),), True, at(8)),
        Edge(3, 4, Assign(STATE, num(1)), (writes(STATE),), True, at(9)),
        Edge(4, 5, Assume(Binary("==", Read(OLD), num(0))), (), False, at(11)),
        Edge(4, 0, Assume(Binary("!=", Read(OLD), num(0))), (), False, at(11)),
        Edge(5, 6, Assign(X, Binary("+", Read(X), num(1))), (reads(X), writes(X)), False, at(12)),
        Edge(6, 0, Assign(STATE, num(0)), (writes(STATE),), False, at(13)),
    )
    cfa = Cfa(7, 0, edges, frozenset({1, 2, 3}), places={q: at(5 + q) for q in range(7)})
    worker = ThreadTemplate("worker", cfa, (Variable("worker::old", INT, shown="old"),))
    return Program("fig1.c", (Variable("x", INT), Variable("state", INT)), (worker,))


def test_text_shows_atomic_locations_assumes_accesses_and_lines() -> None:
    text = draw(figure_1(), "text")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "thread worker, any number of copies: 7 locations, 9 edges, start 0" in lines
    assert "1* line 6 --> 2* old = state (r state)" in lines
    assert "2* line 7 --> 3* [state == 0] (r state)" in lines
    assert "6 line 11 --> 0 state = 0 (w state)" in lines


def test_json_carries_every_location_edge_and_access() -> None:
    program = figure_1()
    data = json.loads(draw(program, "json"))
    assert (data["format"], data["version"], data["fingerprint"]) == ("circ-cfa", 1, program.fingerprint())
    [template] = data["templates"]
    assert [q["id"] for q in template["locations"] if q["atomic"]] == [1, 2, 3]
    assert len(template["edges"]) == 9
    assert template["edges"][7]["accesses"][1]["write"] is True
    assert template["count"] is None


def texts(svg: str) -> list[str]:
    root = ET.fromstring(svg)
    return ["".join(node.itertext()).replace("\xa0", " ") for node in root.iter("{http://www.w3.org/2000/svg}text")]


def test_svg_looks_like_figure_1b() -> None:
    svg = draw(figure_1(), "svg")
    shown = texts(svg)
    for node in ("0", "1*", "2*", "3*", "4", "5", "6"):
        assert shown.count(node) == 1
    assert {"[state == 0]", "[state != 0]", "old = state", "state = 1", "(w state)", "line 9"} <= set(shown)
    circles = svg.count("<ellipse")
    assert circles == 7 + 1  # the dot that points at the start


@pytest.mark.parametrize("form", ["text", "json", "dot", "svg"])
def test_the_same_bytes_in_another_process(form: str) -> None:
    script = f"import tests.frontend.program.test_draw as t, sys; sys.stdout.write(t.draw(t.figure_1(), {form!r}))"
    outputs = {
        subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, env={"PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_awkward_labels_are_escaped() -> None:
    """Quotes, angle brackets, ampersands, backslashes and control characters reach the SVG as text."""
    program = figure_1()
    where = Location('dir with "quotes"\\<&>.c', 3)
    char = Var('a"b<&>\\\x01', INT)
    cond = Binary("&&", Binary("<", Read(char), num(3)), Binary(">", Read(X), num(1)))
    cfa = Cfa(2, 0, (Edge(0, 1, Block((Assume(cond), Assign(char, num(2))))),), places={0: where},
              errors={1: ErrorLocation(ErrorKind.ASSERT, where, 'assert(s < "a&b")')})
    odd = replace(program.templates[0], name='t"<&>\\', cfa=cfa)
    shown = texts(draw(replace(program, templates=(odd,)), "svg"))
    assert any('a"b<&>\\' in text for text in shown)
    assert any('error: assert(s < "a&b")' in text for text in shown)
    assert any('t"<&>\\' in text for text in shown)


def test_arrays_kinds_and_havocs() -> None:
    cell = Element("a[]", Read(X), INT)
    edges = (
        Edge(0, 1, Havoc((cell,), ("b",)), (Access(cell, True), Access(Element("b", num(0), INT), True, whole=True))),
        Edge(1, 0, SKIP, (Access(X, False, kind=AccessKind.ATOMIC), Access(STATE, True, kind=AccessKind.SYNC))),
    )
    program = replace(figure_1(), templates=(ThreadTemplate("t", Cfa(2, 0, edges), count=2),))
    lines = [" ".join(line.split()) for line in draw(program, "text").splitlines()]
    assert "0 --> 1 a[x] = *, b[..] = * (w a[x], w b[..])" in lines
    assert "1 --> 0 skip (r x atomic, w state sync)" in lines
    assert "thread t, 2 copies: 2 locations, 2 edges, start 0" in lines
    assert "(r x atomic, w state sync)" in texts(draw(program, "svg"))


def test_a_local_loses_its_function_only_where_that_is_unambiguous() -> None:
    program = figure_1()
    names = ("f::x", "f::i", "g::i", "f::old")
    worker = replace(program.templates[0], locals=tuple(Variable(n, INT) for n in names))
    shown = DisplayNames(program, worker)
    assert list(map(shown.variable, names)) == ["f::x", "f::i", "g::i", "old"]
    indexed = Assign(Element("f::old", Read(Var("f::i", INT)), INT), Read(Element("f::old", Read(Var("f::old", INT)), INT)))
    assert shown.op(indexed) == "old[f::i] = old[old]"
