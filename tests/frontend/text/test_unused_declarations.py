"""Declarations of system headers that nothing uses are left out; what is used stays, and all that it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend.text.parse import SourceOptions, parse
from frontend.text.tokens import scan
from frontend.text.unused_declarations import used

HEADER = "/usr/include/some.h"

DECLARATIONS = [
    ("extern int f (const char *__restrict s, size_t n) __attribute__ ((__nothrow__)) __attribute__ ((nonnull (1)));", ["f"]),
    ("int g(void) __asm__ (\"\" \"real_g\");", ["g"]),
    ("extern struct state *current, table[4];", ["current", "table"]),
    ("typedef unsigned long word;", ["word"]),
    ("typedef int (*compare)(const void *, const void *);", ["compare"]),
    ("typedef word (*reader)(void *cookie, char *buf);", ["reader"]),
    ("typedef struct node { struct node *next; enum colour { RED, BLACK = 2 } c; } node_t, *node_p;",
     ["node", "node_t", "node_p", "RED", "BLACK", "colour"]),
    ("struct __attribute__((packed)) pair { int a, b; };", ["pair"]),
    ("union value;", ["value"]),
    ("enum { FIRST, SECOND = 1 << 3, };", ["FIRST", "SECOND"]),
    ("extern int (isgraph)(int c);", ["isgraph"]),
    ("static __inline int least(int a, int b) { return a < b ? a : b; }", ["least"]),
    ("extern void (*signal(int sig, void (*func)(int)))(int);", ["signal"]),
    ("__extension__ typedef struct { int quot; } div_t;", ["div_t"]),
]
ALWAYS = [
    "int counter;",
    "static const char digits[] = \"0123\";",
    "void begin(void) { }",
    "static void __attribute__((constructor)) start(void) { }",
    "static struct { int a; } shared;",
    "int (*hook)(void);",
]


def kept(header: str, program: str, file: str = HEADER) -> str:
    tokens = [*scan(header, file, newlines=False), *scan(program, "a.c", newlines=False)]
    return " ".join(t.value for t in used(tokens, ("/usr/",), ()) if t.filename == file)


@pytest.mark.parametrize("declaration,names", DECLARATIONS)
def test_kept_if_a_name_is_mentioned(declaration: str, names: list[str]) -> None:
    around = "extern int before(int a);\n{}\nextern int after(int b);\n"
    whole = " ".join(t.value for t in scan(declaration, HEADER, newlines=False))
    for name in names:
        assert kept(around.format(declaration), f"void user(void) {{ {name}; }}") == whole
        assert kept(around.format(declaration), f"typedef int T; T x = sizeof({name});") == whole
    assert kept(around.format(declaration), "int main(void) { return 0; }") == ""
    assert kept(around.format(declaration), "int main(void) { return 0; }", "other.h") != "", "not a system header"


@pytest.mark.parametrize("declaration", ALWAYS)
def test_what_does_more_than_declare_stays(declaration: str) -> None:
    assert kept(f"extern int before;\n{declaration}\ntypedef int after;", "int main(void) { return 0; }") == " ".join(
        t.value for t in scan(declaration, HEADER, newlines=False))


def test_what_is_used_needs_more() -> None:
    header = "typedef int A; struct S { A a; }; typedef struct S B; extern B *get(void); typedef long C; extern C put(void);"
    assert kept(header, "void f(void) { get(); }") == "typedef int A ; struct S { A a ; } ; typedef struct S B ; extern B * get ( void ) ;"


def test_builtins_and_aliases_mean_functions() -> None:
    assert "memcpy" in kept("extern void *memcpy(void *a, const void *b, int n);", "void f(void) { __builtin_memcpy(0, 0, 0); }")
    assert "other" in kept("extern void other(void);", 'void f(void) __attribute__((alias("other")));')


def test_annotations_name_things() -> None:
    tokens = list(scan("extern int limit;\nextern int unused;", HEADER, newlines=False))
    assert [t.value for t in used(tokens, ("/usr/",), ["@ requires limit > 0"])] == ["extern", "int", "limit", ";"]


def test_the_whole_file_is_parsed_if_the_split_goes_wrong(tmp_path: Path) -> None:
    """Old-style definitions have semicolons in front of their bodies, which nobody writes into headers."""
    path = tmp_path / "a.i"
    path.write_text(f'# 1 "{HEADER}" 1 3 4\nstatic int old(a) int a; {{ return a; }}\nextern int unused(int x);\n'
                    f'# 1 "a.c" 2\nint main(void) {{ return old(1); }}\n')
    names = [getattr(n, "name", None) or n.decl.name for n in parse(str(path), SourceOptions()).ast.ext]
    assert names == ["old", "unused", "main"]


def test_errors_are_those_of_the_whole_file(tmp_path: Path) -> None:
    from frontend.program import FrontendError

    path = tmp_path / "a.i"
    path.write_text(f'# 1 "{HEADER}" 1 3 4\nextern int unused(int x);\n# 1 "a.c" 2\nint main(void) {{ return 1 }}\n')
    with pytest.raises(FrontendError, match=r"a\.c:1:27"):
        parse(str(path), SourceOptions())
