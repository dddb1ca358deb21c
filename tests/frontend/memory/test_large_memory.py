"""Memory that is large, copied, used by assembly or not the program's own: no access to it may get lost."""

from __future__ import annotations

from pathlib import Path

import pytest

import frontend
from circ.engines import auto
from circ.run.check import confirmed
from circ.search.explicit import oracle
from circ.verdict import Answer, Options, RaceOn, silent, word
from frontend import LoadOptions
from frontend.memory.pointer_cases import MOST_TARGETS
from frontend.program import Program

HEAD = "#include <pthread.h>\n#include <stdlib.h>\nint nondet(void);\n"


def load(tmp_path: Path, declarations: str, thread: str, main: str, model: str = "lp64") -> Program:
    """A program of two threads; `main` creates the other one by `CREATE`."""
    path = tmp_path / "m.c"
    path.write_text(f"{HEAD}{declarations}\nvoid *t(void *arg) {{ {thread} return 0; }}\n"
                    f"#define CREATE pthread_create(&id, 0, t, 0)\nint main(void) {{ pthread_t id; {main} return 0; }}\n")
    return frontend.load(path, LoadOptions(data_model=model))


def verdict(p: Program, name: str) -> str:
    question = RaceOn(next(v.name for v in p.globals if v.shown == name))
    answer = confirmed(p, Answer(question, name, auto.engine()(p, question, Options(), silent), "auto"))
    return word(question, answer.verdict)


@pytest.mark.parametrize("model", ["ilp32", "lp64"])
@pytest.mark.parametrize("size", ["4000000", "nondet() * sizeof(int)"], ids=["known", "unknown"])
def test_elements_far_inside_an_allocation_are_accessed(tmp_path: Path, model: str, size: str) -> None:
    program = load(tmp_path, "int *a;", "a[900000] = 1;", f"a = malloc({size}); if (a) {{ CREATE; a[900000] = 2; }}", model)
    assert verdict(program, next(v.shown for v in program.globals if v.shown.startswith("malloc"))) == "race"


def test_the_size_that_is_taken_for_granted_is_said(tmp_path: Path) -> None:
    noted = [a.text for a in load(tmp_path, "", "", "char *p = malloc(nondet()); if (p) p[0] = 1;").assumptions]
    assert "no allocation of unknown size is of more than 68719476736 bytes" in noted
    noted = [a.text for a in load(tmp_path, "", "", "char *p = malloc(1 << 22); if (p) p[0] = 1;").assumptions]
    assert not any("unknown size" in text for text in noted)


def test_realloc_moves_the_pointers_that_are_there(tmp_path: Path) -> None:
    program = load(tmp_path, "int x; int **g;", "*g[0] = 1;",
                   "int **p = malloc(sizeof *p); if (!p) return 0; p[0] = &x; g = realloc(p, 4 * sizeof *p); if (!g) return 0;"
                   " CREATE; x = 2;")
    assert oracle(program, RaceOn("x"), 2) is True
    assert verdict(program, "x") == "unknown"  # what is copied is not tracked


def test_bit_fields_are_parted_by_one_of_no_bits(tmp_path: Path) -> None:
    program = load(tmp_path, "struct { unsigned a:3, b:2; unsigned :0; unsigned c:5; } s;", "s.a = 1;", "CREATE; s.b = 1; s.c = 1;")
    assert {v.shown for v in program.globals if v.shown.startswith("s.")} == {"s.a", "s.c"}
    assert verdict(program, "s.a") == "race" and verdict(program, "s.c") == "safe"


def test_memory_that_is_not_the_programs_is_shared_too(tmp_path: Path) -> None:
    program = load(tmp_path, "struct d { int v; }; struct d *find(void);", "find()->v = 1;", "CREATE; find()->v = 2;")
    assert verdict(program, "memory from outside") == "unknown"
    program = load(tmp_path, "struct d { int v; }; struct d *find(void); pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
                   "pthread_mutex_lock(&m); find()->v = 1; pthread_mutex_unlock(&m);",
                   "CREATE; pthread_mutex_lock(&m); find()->v = 2; pthread_mutex_unlock(&m);")
    assert verdict(program, "memory from outside") == "safe"


def test_a_pointer_from_outside_may_be_elsewhere_in_an_object_that_it_is_known_to_point_to(tmp_path: Path) -> None:
    program = load(tmp_path, "struct { int a, b; } s; int *find(void); void hand_out(void *);",
                   "int *p = nondet() ? &s.a : find(); *p = 1;", "hand_out(&s); CREATE; s.b = 2;")
    assert verdict(program, "s.b") == "unknown"


def test_a_lock_from_outside_may_be_any_that_was_handed_out(tmp_path: Path) -> None:
    program = load(tmp_path, "struct d { int v; pthread_mutex_t m; } s; struct d *find(void); void hand_out(struct d *);",
                   "pthread_mutex_lock(&s.m); pthread_mutex_unlock(&find()->m); s.v++;",
                   "hand_out(&s); CREATE; pthread_mutex_lock(&s.m); s.v++; pthread_mutex_unlock(&s.m);")
    assert verdict(program, "s.v") == "unknown"


@pytest.mark.parametrize(("text", "found"), [
    ('asm volatile("lock; incl %0" : "+m"(x));', "unknown"),  # it may be atomic
    ('int v = 1; asm volatile("xchgl %0, %1" : "+r"(v), "+m"(l)); if (!v) x++;', "unknown"),  # v may be 1 then
    ('int *p; asm("" : "=r"(p) : "0"(&x)); *p = 1;', "unknown"),
    ('asm volatile("movl $1, (%0)" :: "r"(&x) : "memory");', "unknown"),
    ('asm volatile("" :: "r"(&x) : "memory");', "safe"),
], ids=["atomic", "exchange", "hidden", "through a register", "barrier"])
def test_assembly_may_do_much_with_its_operands(tmp_path: Path, text: str, found: str) -> None:
    assert verdict(load(tmp_path, "int x, l; extern int y;", text, f"CREATE; {text}"), "x") == found


def test_a_process_that_forks_has_no_other_threads(tmp_path: Path) -> None:
    assert verdict(load(tmp_path, "int x; int fork(void);", "x = 1;", "CREATE; if (fork() == 0) x = 2;"), "x") == "unknown"


@pytest.mark.parametrize(("begin", "found"), [("", "race"), ("p->next = 0;", "safe"), ("p->next = p;", "race")])
def test_a_pointer_that_nobody_sets_may_be_anything(tmp_path: Path, begin: str, found: str) -> None:
    program = load(tmp_path, "struct s { struct s *next; }; int x;",
                   f"struct s *p = malloc(sizeof *p); if (!p) return 0; {begin} if (p->next) x = 1;", "CREATE; x = 2;")
    assert verdict(program, "x") == found


def test_a_local_of_a_recursive_function_is_not_that_of_another_activation(tmp_path: Path) -> None:
    program = load(tmp_path, "int depth; void f(void); int *g; void *t(void *);",
                   "if (g) *g = 1;", "f();\n} void f(void) { pthread_t id; int l; if (depth++ == 0) { g = &l; CREATE; } else l = 2; f();")
    assert verdict(program, "f::l") == "unknown"


MANY = MOST_TARGETS + 6
OBJECTS = "struct s { int a, b; } " + ", ".join(f"s{n}" for n in range(MANY)) + "; struct s *table[] = { " + ", ".join(
    f"&s{n}" for n in range(MANY)) + " };"


def test_an_access_with_many_targets_is_one_step_that_touches_all_of_them(tmp_path: Path) -> None:
    program = load(tmp_path, OBJECTS, "table[nondet()]->b = 1;", f"CREATE; s3.a = 2; s{MANY - 1}.b = 2;")
    [thread] = [t for t in program.templates if t.name == "t"]
    [step] = [e for e in thread.cfa.edges if any(a.variable == "s3.b" for a in e.accesses)]
    assert {a.variable for a in step.accesses} == {f"s{n}.b" for n in range(MANY)} and all(a.write for a in step.accesses)
    assert verdict(program, "s3.a") == "safe"
    assert verdict(program, f"s{MANY - 1}.b") == "unknown"


def test_what_many_targets_hold_under_a_lock_is_safe(tmp_path: Path) -> None:
    declarations = OBJECTS + " pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"
    text = "pthread_mutex_lock(&m); table[nondet()]->b++; memset(table[nondet()], 0, 8); pthread_mutex_unlock(&m);"
    program = load(tmp_path, "#include <string.h>\n" + declarations, text, f"CREATE; {text}")
    assert verdict(program, "s3.b") == "safe" and verdict(program, "s3.a") == "safe"
    program = load(tmp_path, "#include <string.h>\n" + declarations, text, "CREATE; memset(table[nondet()], 0, 8);")
    assert verdict(program, "s3.b") == "unknown"


def test_an_atomic_access_with_many_targets_stays_atomic(tmp_path: Path) -> None:
    names = [f"c{n}" for n in range(MANY)]
    declarations = f"_Atomic int {', '.join(names)}; _Atomic int *table[] = {{ {', '.join('&' + n for n in names)} }};"
    program = load(tmp_path, declarations, "*table[nondet()] = 1;", "CREATE; *table[nondet()] = 2;")
    assert verdict(program, "c3") == "safe"
