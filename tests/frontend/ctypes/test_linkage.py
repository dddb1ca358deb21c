"""The symbol table of a file, and which types of two files are one type."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend.ctypes.compatible import Compatibility, tag_of
from frontend.ctypes.linkage import Declared, linkage
from frontend.lower.module import load_module
from frontend.program import LP64, Location
from frontend.text.parse import ParsedFile, SourceOptions, parse


def parsed(tmp_path: Path, text: str, name: str = "a.c") -> ParsedFile:
    (tmp_path / name).write_text(text)
    return parse(str(tmp_path / name), SourceOptions())


@pytest.mark.parametrize("text, expected", [
    ("int x;", {"defined": True}),
    ("extern int x;", {}),
    ("extern int x; int x;", {"defined": True}),
    ("extern int x = 1;", {"defined": True}),
    ("static int x;", {"internal": True, "defined": True}),
    ("static int x; extern int x;", {"internal": True, "defined": True}),
    ("__attribute__((weak)) int x = 1;", {"defined": True, "weak": True}),
    ("int x(void);", {"function": True}),
    ("typedef int F(void); F x;", {"function": True}),
    ("int x(void) { return 1; }", {"function": True, "defined": True}),
    ("static int x(void); int x(void) { return 1; }", {"function": True, "internal": True, "defined": True}),
    ("extern inline int x(void) { return 1; }", {"function": True}),
    ("inline int x(void) { return 1; }", {"function": True, "defined": True}),
    ('int y; extern int x __attribute__((alias("y")));', {"alias": "y"}),
    ('int x(void) __asm__("z");', {"function": True, "called": "z"}),
])
def test_what_a_file_declares(tmp_path: Path, text: str, expected: dict[str, object]) -> None:
    [found] = [d for d in linkage(parsed(tmp_path, text)).values() if d.name == "x"]
    got = {name: getattr(found, name) for name in Declared.__slots__ if name not in ("name", "location")}
    usual = {"function": False, "internal": False, "defined": False, "weak": False, "alias": None, "called": None}
    assert got == usual | expected


def test_the_place_is_that_of_the_definition(tmp_path: Path) -> None:
    file = parsed(tmp_path, "extern int x;\nint x;\nint f(void);\nint f(void) { return 1; }\nint f(void);\n")
    places = {name: d.location for name, d in linkage(file).items()}
    assert places == {"x": Location(file.path, 2, 5), "f": Location(file.path, 4, 5)}


@pytest.mark.parametrize("one, two, same", [
    ("int x;", "int x;", True),
    ("int x;", "unsigned x;", False),
    ("int x;", "const int x;", False),
    ("int x;", "_Atomic int x;", False),
    ("int x[];", "int x[4];", True),
    ("int x[3];", "int x[4];", False),
    ("int *x;", "int x[];", False),
    ("long x;", "long long x;", False),
    ("int x();", "int x(int a, char *b);", True),
    ("int x(void);", "int x(int);", False),
    ("int x(const int a);", "int x(int);", True),
    ("int x(int a[]);", "int x(int *);", True),
    ("int x(char *, ...);", "int x(char *);", False),
    ("struct s { int a; } x;", "struct s { int a; } x;", True),
    ("struct s { int a; } x;", "struct s { int b; } x;", False),
    ("struct s { int a; } x;", "struct t { int a; } x;", False),
    ("struct s { int a; } x;", "struct s { long a; } x;", False),
    ("struct s { int a; char b; } x;", "struct s { int a; char b; } __attribute__((packed)) x;", False),
    ("struct s { int a : 3; } x;", "struct s { int a : 4; } x;", False),
    ("struct { int a; } x;", "struct { int a; } x;", True),
    ("struct { int a; } x;", "struct { int a, b; } x;", False),
    ("struct s; struct s *x;", "struct s { int a; }; struct s *x;", True),
    ("struct s; struct s *x;", "struct t { int a; }; struct t *x;", False),
    ("struct s; struct s *x;", "union s { int a; }; union s *x;", False),
    ("struct s { struct s *next; int a; } x;", "struct s { struct s *next; int a; } x;", True),
    ("struct s { struct s *next; int a; } x;", "struct s { struct s *next; char a[4]; } x;", False),
    ("struct s { struct t *t; }; struct t { struct s s; int a; }; struct s x;",
     "struct s { struct t *t; }; struct t { struct s s; int b; }; struct s x;", False),
    ("enum e { A, B }; enum e x;", "enum e { A, B }; enum e x;", True),
    ("typedef struct s { int a; } T; T x;", "struct s { int a; }; struct s x;", True),
    ("void (*x)(struct s *);", "void (*x)(int);", False),
])
def test_types_of_two_files(tmp_path: Path, one: str, two: str, same: bool) -> None:
    left, right = (load_module(parsed(tmp_path, text, name), LP64) for text, name in ((one, "a.c"), (two, "b.c")))

    def types() -> list[object]:
        return [m.symbols["x"].type if "x" in m.symbols else m.declarations["x"].type for m in (left, right)]

    a, b = types()
    assert Compatibility(left.records, right.records)(a, b) is same  # type: ignore[arg-type]
    assert Compatibility(right.records, left.records)(b, a) is same  # type: ignore[arg-type]


def test_a_comparison_that_failed_leaves_nothing_behind(tmp_path: Path) -> None:
    """While `s` is compared, `t` in it is taken to be the same; that must not be believed when `s` turns out to differ."""
    one = "struct t; struct s { struct t *t; int a; }; struct t { struct s *s; }; struct s x; struct t y;"
    left = load_module(parsed(tmp_path, one), LP64)
    right = load_module(parsed(tmp_path, one.replace("int a", "int b"), "b.c"), LP64)
    same = Compatibility(left.records, right.records)
    assert not same(left.symbols["x"].type, right.symbols["x"].type)
    assert not same(left.symbols["y"].type, right.symbols["y"].type)


def test_tags() -> None:
    assert [tag_of(key) for key in ("s", "s#2", "f::s", "a.c:s", "a.c:f::s#3", "<anon>#4", "a.c:<anon>#4")] \
        == ["s", "s", "s", "s", "s", "<anon>", "<anon>"]
