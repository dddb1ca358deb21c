"""Functions of the program with the names of a library's: what they do is what their bodies say."""

from __future__ import annotations

from pathlib import Path

import pytest

import circ
from frontend import LoadOptions, SourceFile, load, load_project
from frontend.ir.library_table import KNOWN
from frontend.ir.thread_library import THREAD_LIBRARY
from frontend.program import Program

THREAD = "__attribute__((circ_thread)) void"
CONVENTIONS = ("TOS_post", "reach_error")
"""Names by which programs tell a checker something, whatever bodies they have for compilers."""


def writers(program: Program, variable: str) -> set[str]:
    return {program.templates[n].name for n, _, access in program.accesses.get(variable, ()) if access.write}


@pytest.mark.parametrize("form", ["int {0}(int a, int b) {{ g_{0}++; return a + b; }}\n" + THREAD + " w_{0}(void) {{ {0}(1, 2); }}",
                                  "int {0}();\n" + THREAD + " w_{0}(void) {{ int x = 0; {0}(&x, &x); }}\nint {0}(int *a, int *b) {{ g_{0}++; return *a; }}"])
def test_every_name_of_the_libraries_may_be_a_programs_own(tmp_path: Path, form: str) -> None:
    names = [*THREAD_LIBRARY] if form.startswith("int {0}();") else [*THREAD_LIBRARY, *(n for n in KNOWN if not n.startswith("__") and n not in CONVENTIONS)]
    for start in range(0, len(names), 150):
        part = names[start:start + 150]
        text = "".join(f"int g_{n};\n{form.format(n)}\n" for n in part)
        (tmp_path / "a.c").write_text(text)
        program = load(tmp_path / "a.c", LoadOptions())
        assert [n for n in part if writers(program, f"g_{n}") != {f"w_{n}"}] == []


OWN_LOCK = """
typedef struct { int taken; } mtx_t;
mtx_t m; int x;
%s int mtx_lock(mtx_t *m) { return 0; }
%s int mtx_unlock(mtx_t *m) { return 0; }
__attribute__((circ_thread)) void w(void) { mtx_lock(&m); x++; mtx_unlock(&m); }
"""


@pytest.mark.parametrize(("kind", "verdict"), [("", "Refuted"), ("static", "Refuted"), ("static inline", "Refuted"),
                                               ("extern inline __attribute__((gnu_inline))", "Safe")])
def test_a_lock_that_locks_nothing(tmp_path: Path, kind: str, verdict: str) -> None:
    (tmp_path / "a.c").write_text(OWN_LOCK % (kind, kind))
    program = load(tmp_path / "a.c", LoadOptions())
    [answer] = circ.check(program, ["x"]).answers
    assert type(answer.verdict).__name__ == verdict
    told = any(a.text == "'mtx_lock' is the function that is defined here, not the threading library's" for a in program.assumptions)
    assert told == (verdict == "Refuted")


def test_in_another_file(tmp_path: Path) -> None:
    head = "typedef struct { int taken; } mtx_t;\nint mtx_lock(mtx_t *);\nint mtx_unlock(mtx_t *);\n"
    (tmp_path / "use.c").write_text(head + "mtx_t m; int x;\n" + THREAD + " w(void) { mtx_lock(&m); x++; mtx_unlock(&m); }\n")
    (tmp_path / "lock.c").write_text(head + "int mtx_lock(mtx_t *m) { return 0; }\nint mtx_unlock(mtx_t *m) { return 0; }\n")
    (tmp_path / "static.c").write_text("static int mtx_lock(int a) { return a; }\nint other(void) { return mtx_lock(1); }\n")
    def verdict(*files: str) -> str:
        program = load_project([SourceFile(str(tmp_path / f)) for f in files], LoadOptions())
        return type(circ.check(program, ["x"]).answers[0].verdict).__name__

    assert verdict("use.c", "lock.c") == "Refuted"
    assert verdict("use.c", "static.c") == "Safe"  # that one is for its own file


def test_an_exit_that_returns_and_a_create_that_calls(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("""
int x, y;
void pthread_exit(void *p) { y++; }
int pthread_create(int *t, int *a, void *(*f)(void *), void *p) { f(p); return 0; }
void *work(void *p) { x++; return p; }
__attribute__((circ_thread)) void w(void) { pthread_exit(0); x++; }
__attribute__((circ_threads(1))) void once(void) { int t; pthread_create(&t, 0, work, 0); }
""")
    program = load(tmp_path / "a.c", LoadOptions())
    assert sorted(t.name for t in program.templates) == ["once", "w"] and writers(program, "x") == {"w", "once"}
