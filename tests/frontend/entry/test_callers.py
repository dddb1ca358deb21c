"""Parts of programs: who calls which functions, when, and with what."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend import FrontendError, LoadOptions, load
from frontend.program import Program, Role

LOCKED = """#include <pthread.h>
#include <stdlib.h>
struct box { pthread_mutex_t lock; int value; };
struct plain { int value; struct plain *next; };
"""


def part(tmp_path: Path, text: str, *entries: str) -> Program:
    path = tmp_path / "part.c"
    path.write_text(text)
    return load(path, LoadOptions(entries=entries))


def threads(program: Program) -> dict[str, int | None]:
    return {t.name: t.count for t in program.templates}


def assumed(program: Program) -> str:
    return "\n".join(a.text for a in program.assumptions)


def names(program: Program) -> set[str]:
    return {v.name for v in program.globals}


def test_threads_call_what_others_can_call(tmp_path: Path) -> None:
    program = part(tmp_path, "int x; static int hidden(void) { return x; } int f(void) { return hidden(); } void g(int n) { x = n; }")
    assert threads(program) == {"call@f": None, "call@g": None}
    assert "any number of threads call 'f', 'g', in any order, with any arguments" in assumed(program)
    assert program.race_model == "c11"


def test_a_program_with_threads_of_its_own_is_left_alone(tmp_path: Path) -> None:
    for text in ("int x; void f(void) { x = 1; } int main(void) { f(); return x; }",
                 "int x; void f(void) { x = 1; } __attribute__((circ_thread)) void w(void) { f(); }"):
        assert not [t for t in threads(part(tmp_path, text)) if "@" in t]


def test_one_base_program_beside_handlers(tmp_path: Path) -> None:
    program = part(tmp_path, "int x; __attribute__((signal)) void __vector_1(void) { x = 1; } int get(void) { return x; }")
    assert {t.name: (t.count, t.role) for t in program.templates} == {"main": (1, Role.MAIN), "__vector_1": (1, Role.HANDLER)}
    assert "one base program calls 'get'" in assumed(program)
    assert any(a.variable == "x" for e in program.template("main").cfa.edges for a in e.accesses)


def test_named_entries(tmp_path: Path) -> None:
    text = "int x, y; static void f(void) { x = 1; } void g(void) { y = 1; } int main(void) { return x; }"
    assert threads(part(tmp_path, text, "f")) == {"main": 1, "call@f": None}
    with pytest.raises(FrontendError, match="--entry h: there is no function 'h'"):
        part(tmp_path, text, "h")
    path = tmp_path / "part.c"
    with pytest.raises(FrontendError, match="two answers to one question"):
        load(path, LoadOptions(entries=("f",), threads=("g",)))
    both = "int x; __attribute__((signal)) void __vector_1(void) { x = 1; } void f(void) { x = 2; } int main(void) { for (;;) ; }"
    with pytest.raises(FrontendError, match="runs beside the handlers"):
        part(tmp_path, both, "f")


def test_objects_with_a_lock_are_shared_and_others_are_the_callers_own(tmp_path: Path) -> None:
    program = part(tmp_path, LOCKED + """int seen;
        void set(struct box *b, int v) { pthread_mutex_lock(&b->lock); b->value = v; pthread_mutex_unlock(&b->lock); }
        void own(struct plain *p, int *n, char *text) { p->value = 1; p->next->value = 2; *n = 3; text[5] = 'x'; seen = 1; }""")
    assert "argument@box[].value" in names(program)
    assert not any("plain" in n or "text" in n or n.endswith("::n") for n in names(program))
    [values] = [v for v in program.globals if v.name == "argument@box[].value"]
    assert values.length == 64
    reached = {a.variable for e in program.template("call@own").cfa.edges for a in e.accesses}
    assert "seen" in reached  # no pointer on the way there leads nowhere
    assert "memory from outside" not in names(program)


def test_an_own_object_that_is_published_is_shared(tmp_path: Path) -> None:
    program = part(tmp_path, LOCKED + "static struct plain *list; void add(struct plain *p) { list = p; } int first(void) { return list->value; }")
    assert any(a.variable.endswith(".value") for e in program.template("call@first").cfa.edges for a in e.accesses)


@pytest.mark.parametrize("member", ["_Atomic int n;", "struct { pthread_mutex_t inner; } in[2];", "pthread_rwlock_t lock;"])
def test_what_is_made_to_be_shared(tmp_path: Path, member: str) -> None:
    text = f"#include <pthread.h>\nstruct s {{ {member} int value; }}; void f(struct s *p) {{ p->value = 1; }} void use(pthread_rwlock_t *l, pthread_mutex_t *m);"
    assert "argument@s[].value" in names(part(tmp_path, text))


def test_what_makes_locks_comes_first_and_what_ends_them_is_not_beside_others(tmp_path: Path) -> None:
    program = part(tmp_path, LOCKED + """
        void box_init(struct box *b) { pthread_mutex_init(&b->lock, NULL); b->value = 1; }
        void box_done(struct box *b) { pthread_mutex_destroy(&b->lock); }
        void box_set(struct box *b) { pthread_mutex_lock(&b->lock); b->value = 2; pthread_mutex_unlock(&b->lock); }
        void with_temporary(void) { struct box b; box_init(&b); box_set(&b); box_done(&b); }""")
    assert threads(program) == {"main": 1, "call@box_set": None, "call@with_temporary": None}
    assert "'box_init', which makes locks or what has locks, runs before the others" in assumed(program)
    assert "'box_done' does not run beside others" in assumed(program)


def test_callers_pass_what_makers_returned(tmp_path: Path) -> None:
    program = part(tmp_path, LOCKED + """
        struct box *box_new(void) { struct box *b = calloc(1, sizeof *b); if (b) pthread_mutex_init(&b->lock, NULL); return b; }
        void box_set(struct box *b) { pthread_mutex_lock(&b->lock); b->value = 2; pthread_mutex_unlock(&b->lock); }""")
    assert threads(program) == {"main": 1, "call@box_new": None, "call@box_set": None}
    assert "made@box[]" in names(program) and not any(n.startswith("argument@") for n in names(program))
    touched = {a.variable for e in program.template("call@box_set").cfa.edges for a in e.accesses}
    assert any(n.startswith("calloc@box_new") and n.endswith(".value") for n in touched)
    assert "no other file calls" not in assumed(program)


def test_functions_that_start_threads_are_told(tmp_path: Path) -> None:
    program = part(tmp_path, "#include <pthread.h>\nstatic int x; static void *run(void *a) { x = 1; return a; }\n"
                             "static void go(void) { pthread_t t; pthread_create(&t, 0, run, 0); } void service(void) { go(); } int get(void) { return x; }")
    assert "'service' starts threads each time" in assumed(program) and "run" in threads(program)


def test_a_file_without_functions_is_no_error(tmp_path: Path) -> None:
    program = part(tmp_path, "int x = 1; static int f(void) { return x; }")
    assert threads(program) == {"main": 1}


def test_arguments_of_all_kinds(tmp_path: Path) -> None:
    program = part(tmp_path, """#include <stdarg.h>
        struct pair { int a, b; double d; }; struct opaque; typedef int (*visit)(void *); enum e { A, B };
        int n1, n2, n3, n4, n5, n6, n7;
        int by_value(struct pair p) { n1 = 1; return p.a; } struct pair gives(float f, long double l) { struct pair p = { 1, 2, f }; n2 = 1; return p; }
        void variadic(const char *f, ...) { va_list v; va_start(v, f); va_end(v); n3 = f[0]; }
        int old(a, b) int a; char *b; { n4 = a; return *b; }
        void arrays(int m[3], unsigned char u[static 4], char **out) { m[2] = u[3]; *out = 0; n5 = 1; }
        _Bool small(_Bool b, enum e e, signed char c) { n6 = c; return b && e; }
        void odd(struct opaque *o, void *user, visit v) { n7 = v(user); }""")
    assert len(program.templates) == 7
    for number, template in enumerate(program.templates, 1):
        written = {a.variable for e in template.cfa.edges for a in e.accesses}
        assert f"n{number}" in written, template.name


def test_a_processor_that_is_named_runs_no_threads(tmp_path: Path) -> None:
    path = tmp_path / "part.c"
    path.write_text("unsigned char x; void f(void) { x++; } void g(void) { x = 0; }\n")
    assert threads(load(path, LoadOptions())) == {"call@f": None, "call@g": None}
    assert threads(load(path, LoadOptions(platform="avr"))) == {"main": 1}
