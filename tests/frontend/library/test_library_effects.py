"""What functions of the C library touch through their arguments: every one of these is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

import frontend
from frontend import LoadOptions
from frontend.ir.formats import ArgumentUse, uses
from frontend.program import Program

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdarg.h>\n#include <unistd.h>\n#include <time.h>\n"


def load(tmp_path: Path, declarations: str, body: str) -> Program:
    path = tmp_path / "library.c"
    path.write_text(f"{HEAD}{declarations}\nvoid t(void) {{ {body} }}\n")
    return frontend.load(path, LoadOptions(threads=("t=2",)))


def touched(program: Program, write: bool) -> set[str]:
    return {a.variable for t in program.templates for e in t.cfa.edges for a in e.accesses if a.write is write}


@pytest.mark.parametrize("body", [
    'printf("abc%n", &g);',
    'char *f = "%d%n"; fprintf(stderr, f, 1, &g);',
    'static const char f[] = "%n"; dprintf(1, f, &g);',
    'char f[4]; read(0, f, 3); printf(f, &g);',
    'printf("%%n" + 1, &g);',
    'printf("%1$n", &g);',
    'log_it("%s %n", "x", &g);',
    'char f[4]; read(0, f, 3); log_it(f, &g);',
    'scan_it("%d", &g);',
    'store_it(1, &g);',
    'outside_it(1, &g);',
    'scanf("%d", &g);', 'fscanf(stdin, "%*d %d", &g);', 'sscanf("1", "%i", &g);',
    'fread(&g, 4, 1, stdin);', 'read(0, &g, 4);',
    'int *p = &g; getline((char **)&p, 0, stdin); *p = 1;',
    'snprintf((char *)&g, 4, "x");',
])
def test_the_library_writes(tmp_path: Path, body: str) -> None:
    functions = """int g;
        void log_it(const char *f, ...) { va_list ap; va_start(ap, f); vprintf(f, ap); va_end(ap); }
        void scan_it(const char *f, ...) { va_list ap; va_start(ap, f); vscanf(f, ap); va_end(ap); }
        void store_it(int n, ...) { va_list ap; va_start(ap, n); *va_arg(ap, int *) = n; va_end(ap); }
        void outside(int n, va_list ap);
        void outside_it(int n, ...) { va_list ap, again; va_start(ap, n); va_copy(again, ap); outside(n, again); va_end(ap); }"""
    assert "g" in touched(load(tmp_path, functions, body), True)


@pytest.mark.parametrize("body", [
    'printf("%s", s);', 'fprintf(stderr, "%d %.*s", 1, 2, s);', 'puts(s);', 'log_it("%s", s);', 'char c; sscanf(s, "%c", &c);',
])
def test_the_library_reads(tmp_path: Path, body: str) -> None:
    functions = "char s[4]; void log_it(const char *f, ...) { va_list ap; va_start(ap, f); vfprintf(stderr, f, ap); va_end(ap); }"
    program = load(tmp_path, functions, body)
    assert "s[]" in touched(program, False) and "s[]" not in touched(program, True)


def test_a_pointer_that_is_printed_is_not_followed(tmp_path: Path) -> None:
    program = load(tmp_path, "int g;", 'printf("%p %lu\\n", (void *)&g, (unsigned long)&g);')
    assert "g" not in touched(program, True) | touched(program, False)


def test_formats() -> None:
    value, read, write = (frozenset({u}) for u in (ArgumentUse.VALUE, ArgumentUse.READ, ArgumentUse.WRITE))
    assert uses(["%-*.*s%% %lld %hhn%m"], False, 5) == [value, value, read, value, write]
    assert uses(["%*d %[^]%] %5c%%%lf"], True, 4) == [write, write, write, frozenset()]
    assert uses(["%d", "%s"], False, 1) == [value | read]
    assert uses(["100%"], False, 1) == uses(None, False, 1) == [frozenset(ArgumentUse)]


def test_strtok_remembers_what_it_was_given(tmp_path: Path) -> None:
    program = load(tmp_path, "char b[9], other[9]; void first(void) { strtok(b, \" \"); } int n;",
                   'if (n) first(); char *p = strtok(NULL, " "); if (p) *p = 1; other[n] = 1;')
    (template,) = program.templates
    later = {a.variable for e in template.cfa.edges for a in e.accesses if a.write and ("strtok(NULL" in e.text or "strtok((void *)0" in e.text)}
    assert "b[]" in later and "other[]" not in later
    assert any(name.startswith("static@strtok") for name in touched(program, True))


@pytest.mark.parametrize("body", ["time_t s = 0; localtime(&s);", "time_t s = 0; struct tm *m = gmtime(&s); if (m) g = m->tm_year;"])
def test_objects_of_the_library_are_shared(tmp_path: Path, body: str) -> None:
    program = load(tmp_path, "int g;", body)
    assert any(name.startswith("static@localtime") for name in touched(program, True))


def test_a_plain_access_to_an_atomic_object(tmp_path: Path) -> None:
    kinds: dict[str, set[str]] = {}
    program = load(tmp_path, "#include <stdatomic.h>\natomic_int a, b, c, d; _Atomic struct { int x, y; } s, r;",
                   "*(int *)&a = 1; b = 1; atomic_init(&c, 1); d++; s = r;")
    for edge in (e for t in program.templates for e in t.cfa.edges):
        for access in edge.accesses:
            kinds.setdefault(access.variable, set()).add(access.kind.name)
    assert kinds == {"a": {"DATA"}, "b": {"ATOMIC"}, "c": {"DATA"}, "d": {"ATOMIC"},
                     **{name: {"ATOMIC"} for name in ("s.x", "s.y", "r.x", "r.y")}}


@pytest.mark.parametrize("name", ["fill", "sem_fill", "mtx_fill", "pthread_fill_np", "atomic_fill"])
def test_a_function_that_only_sounds_like_the_threading_library_may_do_anything(tmp_path: Path, name: str) -> None:
    declarations = f"int g; int *hint = &g; struct box {{ int *p; }}; void {name}(struct box *b);"
    body = f"struct box b; int l; b.p = &l; {name}(&b); *b.p = 1;"
    assert "g" in touched(load(tmp_path, declarations, body), True)
