"""Accesses that C hides well: every one of these programs races on the variable named, so a thread must be seen to touch it."""

from __future__ import annotations

from pathlib import Path

import pytest

import frontend
from circ.search.explicit import oracle
from circ.verdict import RaceOn
from frontend import LoadOptions
from frontend.program import Program

HEAD = '#include "circ.h"\n#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n#include <time.h>\n'


def load(tmp_path: Path, declarations: str, body: str) -> Program:
    path = tmp_path / "hidden.c"
    path.write_text(f"{HEAD}{declarations}\nvoid t(void) {{ {body} }}\n")
    return frontend.load(path, LoadOptions(threads=("t=2",)))


@pytest.mark.parametrize(("declarations", "body"), [
    ("int g; char *p; int k;", "if (k) p = malloc(4); free(p); g = 1;"),
    ("int g; char *p;", "p = realloc(p, 10); g = 1;"),
    ("int g; time_t h; time_t *p;", "if (g == 77) p = &h; time(p); g = 1;"),
    ("int g; char s[4]; char *e; char **ep;", "if (g == 77) ep = &e; strtol(s, ep, 10); g = 1;"),
    ("int g; char *p; char s[3];", 'if (g == 77) p = s; printf("%s", p); g = 1;'),
], ids=["free", "realloc", "time", "strtol", "printf"])
def test_a_null_pointer_given_to_the_library_stops_nobody(tmp_path: Path, declarations: str, body: str) -> None:
    assert oracle(load(tmp_path, declarations, body), RaceOn("g"), 2) is True


def written(program: Program) -> set[str]:
    return {a.variable for t in program.templates for e in t.cfa.edges for a in e.accesses if a.write}


@pytest.mark.parametrize(("declarations", "body"), [
    ("int g, h; void swap(char *x, char *y, int n) { while (n--) { char c = *x; *x++ = *y; *y++ = c; } }",
     "int *p = &g, *q = &h; swap((char *)&p, (char *)&q, sizeof p); *q = 1;"),
    ("int g; union u { int *p; char c[16]; } a = { &g };", "union u l; for (int i = 0; i < 8; i++) l.c[i] = a.c[i]; *l.p = 1;"),
    ("int g, h; union u { int *p; char c[16]; } a = { &g };",
     "union u l; l.p = &h; for (int i = 0; i < 8; i++) l.c[i] = a.c[i]; *l.p = 1;"),
], ids=["swap", "union", "union over another"])
def test_pointers_copied_byte_by_byte(tmp_path: Path, declarations: str, body: str) -> None:
    assert "g" in written(load(tmp_path, declarations, body))


def test_rows_of_variable_length_are_all_meant(tmp_path: Path) -> None:
    program = load(tmp_path, "int a[9]; int ok; void f(int n, int p[n][n]) { p[1][1] = 3; }",
                   "f(3, (int (*)[3])a); if (a[4] == 3) ok = 1;")
    assert {"a[]", "ok"} <= written(program)
    assert "ok" in written(load(tmp_path, "int n, ok;", "n = 3; int v[n][n]; v[0][1] = 1; v[1][1] = 3; if (v[1][1] == 3) ok = 1;"))


@pytest.mark.parametrize(("declarations", "body"), [
    ("struct s { int *p; }; int g; void outside(const struct s *);", "struct s l = { &g }; outside(&l);"),
    ("struct s { int *p; }; int g; void outside(struct s);", "struct s l = { &g }; outside(l);"),
    ("struct s { int *p; }; int g; int *k = &g; struct s outside(void);", "*outside().p = 1;"),
    ("struct s { int a, b; }; int g; struct s outside(void);",
     "int seen = 0; struct s l = outside(); if (l.a == 1) seen = 1; l = outside(); if (seen && l.a == 2) g = 1;"),
    ("int g, a[4]; int cmp(const void *x, const void *y) { g++; return *(int *)x - *(int *)y; }", "qsort(a, 4, sizeof a[0], cmp);"),
    ("int g; int cmp(const void *x, const void *y) { *(int *)y = 3; return 0; }",
     "int k = 1; bsearch(&k, &g, 1, sizeof g, cmp);"),
    ("int g; int cmp(const void *x, const void *y) { return 0; }",
     "int k = 1, *r = bsearch(&k, &g, 1, sizeof g, cmp); if (r) *r = 7;"),
], ids=["const argument", "struct argument", "struct result", "struct result again", "qsort", "bsearch", "found by bsearch"])
def test_functions_that_are_not_here(tmp_path: Path, declarations: str, body: str) -> None:
    assert "g" in written(load(tmp_path, declarations, body))


def test_the_comparison_of_qsort_races(tmp_path: Path) -> None:
    program = load(tmp_path, "int g; int cmp(const void *x, const void *y) { g++; return 0; }", "int l[3]; qsort(l, 3, sizeof l[0], cmp);")
    assert oracle(program, RaceOn("g"), 2) is True
    assert not any("cmp" in a.text for a in program.assumptions)
