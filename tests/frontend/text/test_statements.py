"""Statements by their places: first characters, functions, scopes; lines of preprocessed files."""

from __future__ import annotations

from frontend import SourceFile
from frontend.api import statements_of
from frontend.program import Location
from frontend.text.places.line_marks import LineMarks

TEXT = """int g;
static int f(int a) { return a; }
void t(int *p)
{
    int x = 1, y;
    *p = f(x);
    for (int i = 0; i < 3; i++) { int z = i; g = z; }
    if (g) (*p)++; else g = 2;
    do g--; while (g > 0);
}
"""


def test_first_characters_kinds_and_scopes() -> None:
    found = statements_of([SourceFile("a.c", text=TEXT)])

    def at(line: int, column: int) -> tuple[int, int, str, str, list[str], bool]:
        s = found.at(Location("a.c", line, column))
        assert s is not None
        return s.location.line, s.location.column, s.kind.value, s.function, sorted(s.names), s.direct

    assert at(2, 30) == (2, 23, "plain", "f", ["a"], True)
    assert at(5, 13) == (5, 5, "plain", "t", ["p"], True)
    assert at(6, 10) == (6, 5, "plain", "t", ["p", "x", "y"], False)
    assert at(7, 21) == (7, 5, "loop", "t", ["p", "x", "y"], True)
    assert at(7, 46) == (7, 46, "plain", "t", ["i", "p", "x", "y", "z"], True)
    assert at(8, 9) == (8, 5, "branch", "t", ["p", "x", "y"], True)
    assert at(8, 15) == (8, 12, "plain", "t", ["p", "x", "y"], False)
    assert at(8, 25)[:3] == (8, 25, "plain")
    assert found.at(Location("a.c", 1, 5)) is None and found.at(Location("a.c", 3, 6)) is None
    assert [s.location.column for s in found.on_line("a.c", 8)] == [5, 12, 25]
    call = found.at(Location("a.c", 6, 10))
    assert call is not None and call.callee == ""


def test_marks_lead_to_lines_and_back() -> None:
    marks = LineMarks("r.i", 'a\n# 10 "x.c"\nb\nc\n#line 30\nd\n# 1 "dir\\\\y.h" 1\ne\n')
    assert [marks.source(n) for n in (1, 3, 4, 6, 8)] == [("r.i", 1), ("x.c", 10), ("x.c", 11), ("x.c", 30), ("dir\\y.h", 1)]
    assert [marks.here(*place) for place in (("x.c", 11), ("x.c", 30), ("dir\\y.h", 1), ("x.c", 29))] == [4, 6, 8, None]
