"""Programs that are hostile by their size or depth: each gets an answer or a located message within its limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.run.check import check
from circ.run.supervise import Crashed, Died, Done, Emit, Limits, supervise
from circ.verdict import Refuted
from frontend import load
from frontend.program import FrontendError

THREAD = "int x;\n__attribute__((circ_thread)) void w(void) { x = x + 1; }\n"
BODY = "int x;\nint f(int a) {{ return a; }}\n__attribute__((circ_thread)) void w(void) {{ {} }}\n"


def doubling(depth: int) -> str:
    """Macros that stand for 2 to the power of `depth` tokens."""
    return "#define A0 x+x\n" + "".join(f"#define A{i} A{i - 1}+A{i - 1}\n" for i in range(1, depth))


def hostile(n: int) -> dict[str, tuple[str, str]]:
    """By name a program of a size in proportion to `n` and what its message says, empty if it has to be read."""
    calls = "".join(f"int f{i}(int a) {{ return f{i - 1}(a) + 1; }}\n" for i in range(1, 2 * n + 1))
    created = "".join(f"pthread_create(&t[{i}], 0, w, 0);\n" for i in range(100 * n))
    return {
        "a range": (f"int a[] = {{[0 ... {20 * n}] = 1}};\n" + THREAD, ""),
        "macros in an annotation": (doubling(40) + "//@ invariant A39;\n" + THREAD, "stands for more than"),
        "macros in code": (doubling(40) + "int y = A39;\n" + THREAD, "produces more than"),
        "many macros": ("".join(f"#define M{i} {i}\n" for i in range(1000 * n)) + THREAD, ""),
        "many declarations": ("".join(f"int v{i};\n" for i in range(20 * n)) + THREAD, ""),
        "many statements in a line": (BODY.format("x = x + 1;" * 10 * n), ""),
        "a long string": (f'char *s = "{"a" * 100 * n}";\n' + THREAD, ""),
        "functions in a row": ("int x;\nint f0(int a) { x = a; return a; }\n" + calls
                               + f"__attribute__((circ_thread)) void w(void) {{ f{2 * n}(1); }}\n", ""),
        "nested calls": (BODY.format(f"x = {'f(' * 200}1{')' * 200};"), ""),
        "nested brackets": (BODY.format(f"x = {'(' * 5000}1{')' * 5000};"), "nested more than"),
        "nested blocks": (BODY.format("{" * 5000 + "x = 1;" + "}" * 5000), "nested more than"),
        "nested conditions": (BODY.format("if (x) " * 3000 + "x = 1;"), "nested more than"),
        "a deep #if": (f"#if {'(' * 10000}1{')' * 10000}\n#endif\n" + THREAD, "too deep"),
        "many stars": (f"int {'*' * 10000}y;\n" + THREAD, "nested more than"),
        "many dimensions": (f"int y{'[1]' * 5000};\n" + THREAD, "too deep"),
        "a struct in itself": ("struct s { struct s a; };\nstruct s g;\n" + THREAD, "contains itself"),
        "a long number": (f"int y = {'1' * 4301};\n" + THREAD, "no type of C"),
        "a huge array": ("char a[0x7fffffffffffff];\n" + THREAD, ""),
        "a NUL": ("int y;\0\n" + THREAD, "NUL byte"),
        "many threads": (f"#include <pthread.h>\nint x;\nvoid *w(void *a) {{ x = x + 1; return 0; }}\nint main(void) {{ pthread_t t[{100 * n}];\n"
                         f"{created}return 0; }}\n", ""),
    }


def read(programs: dict[str, tuple[str, str]], folder: Path, limits: Limits) -> list[str]:
    """What is wrong with the answers: our own mistakes, messages without a place or another one than expected; limits are answers."""
    names = list(programs)

    def start() -> object:
        def one(number: int, emit: Emit) -> str:
            path = folder / f"{number}.c"
            path.write_text(programs[names[number]][0])
            try:
                load(str(path))
            except FrontendError as error:
                return str(error) if error.location.line >= 1 else f"no place: {error}"
            return ""

        return one

    bad = []
    for number, outcome in supervise(range(len(names)), start, limits):  # type: ignore[arg-type, var-annotated]
        expected = programs[names[number]][1]
        if isinstance(outcome, Crashed | Died):
            bad.append(f"{names[number]}: {outcome}")
        elif isinstance(outcome, Done) and (expected not in outcome.value or bool(expected) != bool(outcome.value)):
            bad.append(f"{names[number]}: {outcome.value[:200] or 'no message'}")
    return bad


def test_hostile_programs(tmp_path: Path) -> None:
    assert read(hostile(10), tmp_path, Limits(20.0, 1500, 20.0)) == []


def test_many_declarations_are_no_work_for_who_does_not_use_them(tmp_path: Path) -> None:
    """A few seconds: nothing of the analysis looks at pairs of variables that no thread touches."""
    (tmp_path / "a.c").write_text("".join(f"int v{i};\n" for i in range(20_000)) + THREAD)
    [answer] = check(load(str(tmp_path / "a.c")), ["x"], limits=Limits(300.0, 2000, 40.0)).answers
    assert isinstance(answer.verdict, Refuted)


@pytest.mark.parametrize("name", ["/dev/zero", "/", "a directory"])
def test_what_is_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(FrontendError) as error:
        load(name if name.startswith("/") else str(tmp_path))
    assert error.value.hint
