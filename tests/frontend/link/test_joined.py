"""Programs of several files: what one name is in all of them, and what is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend import LoadOptions, SourceFile, load, load_project, resolve_variable
from frontend.lower.units import labels
from frontend.program import FrontendError, Program, Values

ROOT = Path(__file__).resolve().parents[3]


def project(tmp_path: Path, *texts: str, threads: tuple[str, ...] = ()) -> Program:
    """The program of files `a.c`, `b.c`, ..."""
    files = []
    for name, text in zip("abcd", texts, strict=False):
        (tmp_path / f"{name}.c").write_text(text)
        files.append(SourceFile(str(tmp_path / f"{name}.c")))
    return load_project(files, LoadOptions(threads=threads))


def shown(program: Program) -> list[str]:
    return [v.shown for v in program.globals if not v.ghost]


def written(program: Program) -> set[str]:
    return {a.variable for t in program.templates for e in t.cfa.edges for a in e.accesses if a.write}


MAIN = "int main(void) { f(); return 0; }\n"


@pytest.mark.parametrize("one, two, name, value", [
    ("extern int x;", "int x = 3;", "x", 3),
    ("int x;", "extern int x;", "x", 0),
    ("int x;", "int x = 3;", "x", 3),
    ("int x;", "int x;", "x", 0),
    ("__attribute__((weak)) int x = 2;", "int x = 3;", "x", 3),
    ("int x = 3;", "__attribute__((weak)) int x = 2;", "x", 3),
    ("__attribute__((weak)) int x = 2;", "extern int x;", "x", 2),
    ("__attribute__((weak)) int x = 2;", "__attribute__((weak)) int x = 4;", "x", 2),
])
def test_one_object(tmp_path: Path, one: str, two: str, name: str, value: int) -> None:
    program = project(tmp_path, f"{one}\nvoid f(void);\n{MAIN}", f"{two}\nvoid f(void) {{ x++; }}\n")
    assert shown(program) == [name] and written(program) == {name}
    assert program.variable(name).start == Values(value)


def test_arrays_are_completed_elsewhere(tmp_path: Path) -> None:
    for one, two in (("extern int x[];", "int x[5] = {1, 2};"), ("int x[];", "extern int x[5];"), ("int x[5];", "extern int x[];")):
        program = project(tmp_path, f"{one}\nvoid f(void);\n{MAIN}", f"{two}\nvoid f(void) {{ x[2] = 1; }}\n")
        assert program.variable("x[]").length == 5


def test_statics_of_one_name_are_two(tmp_path: Path) -> None:
    text = "static int n;\nstatic void add(void) {{ static int m; n++; m++; }}\nvoid {0}(void) {{ add(); }}\n"
    program = project(tmp_path, text.format("f"), text.format("g"), "void f(void); void g(void);\nint main(void) { f(); g(); }\n")
    assert shown(program) == ["a.c:n", "a.c:add::m", "b.c:n", "b.c:add::m"]
    assert written(program) == set(shown(program))
    for name, meant in (("a.c:n", "a.c:n"), ("b.c:n", "b.c:n"), ("a.c:add::m", "a.c:add::m"), (f"{tmp_path}/b.c:n", "b.c:n")):
        assert [v.shown for v in resolve_variable(program, name)] == [meant]
    with pytest.raises(FrontendError, match=r"'n' may be any of a\.c:n, b\.c:n"):
        resolve_variable(program, "n")


def test_a_static_beside_a_global(tmp_path: Path) -> None:
    program = project(tmp_path, "static int n;\nvoid f(void) { n = 1; }\n", "int n;\nvoid f(void);\nint main(void) { n = 2; f(); }\n")
    assert shown(program) == ["a.c:n", "n"] and written(program) == {"a.c:n", "n"}
    assert [v.name for v in resolve_variable(program, "n")] == ["n"]


def test_a_static_of_its_own_keeps_its_name(tmp_path: Path) -> None:
    program = project(tmp_path, "static int n;\nstatic void g(void) { n++; }\nvoid f(void) { g(); }\n", f"void f(void);\n{MAIN}")
    assert shown(program) == ["n"]


def test_static_threads_of_one_name(tmp_path: Path) -> None:
    text = ("#include <pthread.h>\nint {0};\nstatic void *work(void *a) {{ {0}++; return 0; }}\n"
            "void go_{0}(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); }}\n")
    program = project(tmp_path, text.format("x"), text.format("y"),
                      "void go_x(void); void go_y(void);\nint main(void) { go_x(); go_y(); }\n")
    assert [t.name for t in program.templates] == ["main", "a.c:work", "b.c:work"]
    assert {t.name: {a.variable for e in t.cfa.edges for a in e.accesses if a.variable in "xy"} for t in program.templates} \
        == {"main": set(), "a.c:work": {"x"}, "b.c:work": {"y"}}


def test_threads_are_named_with_their_file(tmp_path: Path) -> None:
    text = "static int n;\nstatic void w(void) { n++; }\nvoid unused_%s(void) { w(); }\n"
    program = project(tmp_path, text % "a", text % "b", threads=("b.c:w=2",))
    assert [(t.name, t.count) for t in program.templates] == [("b.c:w", 2)] and written(program) == {"b.c:n"}
    with pytest.raises(FrontendError, match=r"which one, a\.c:w or b\.c:w"):
        project(tmp_path, text % "a", text % "b", threads=("w",))


HEADER = "struct s {{ int a; struct s *next; }};\ntypedef struct {{ int c; }} T;\nextern struct s s;\nextern T t;\n{0}"


def test_structs_of_one_structure_are_one_type(tmp_path: Path) -> None:
    program = project(tmp_path, HEADER.format("struct s s;\nT t;\nvoid f(struct s *);\nint main(void) { f(&s); t.c = 1; }\n"),
                      HEADER.format("void f(struct s *p) { p->a = 1; s.next = p; t.c = 2; }\n"))
    assert written(program) == {"s.a", "s.next", "t.c"} and not program.assumptions


def test_structs_that_only_share_a_name_stay_apart(tmp_path: Path) -> None:
    program = project(tmp_path, "struct s { char c[2]; int a; } x;\nvoid f(void);\nint main(void) { x.a = 1; f(); }\n",
                      "struct s { int a; long b; } y;\nvoid f(void) { struct s *p = &y; p->b = 2; }\n")
    assert written(program) == {"x.a", "y.b"}


def test_types_that_one_file_does_not_complete(tmp_path: Path) -> None:
    program = project(tmp_path, "struct s;\nstruct s *make(void);\nvoid put(struct s *);\nint main(void) { put(make()); }\n",
                      "struct s { int a, b; };\nstatic struct s one;\nstruct s *make(void) { return &one; }\n"
                      "void put(struct s *p) { p->b = 1; }\n")
    assert written(program) == {"one.b"}


def test_anonymous_types_of_the_same_number_stay_apart(tmp_path: Path) -> None:
    program = project(tmp_path, "typedef struct { int a; } A;\nA x;\nvoid f(void);\nint main(void) { x.a = 1; f(); }\n",
                      "typedef struct { long b, c; } A;\nA y;\nvoid f(void) { y.c = 1; }\n")
    assert written(program) == {"x.a", "y.c"}


def test_aliases_and_weak_functions(tmp_path: Path) -> None:
    program = project(
        tmp_path,
        'int x, y;\nstatic int hidden;\nextern int other __attribute__((alias("hidden")));\n'
        'static void real(void) { x = 1; }\nvoid also(void) __attribute__((alias("real")));\n'
        "__attribute__((weak)) void hook(void) { y = 1; }\n",
        "extern int other;\nvoid also(void);\nvoid hook(void) { }\nint main(void) { also(); hook(); other = 2; }\n")
    assert written(program) == {"x", "hidden"}
    alone = project(tmp_path, 'int x;\nvoid real(void) { x = 1; }\nvoid also(void) __attribute__((alias("real")));\n'
                              "int main(void) { also(); }\n")
    assert written(alone) == {"x"}


def test_names_for_the_assembler(tmp_path: Path) -> None:
    program = project(tmp_path, 'void shout(void) __asm__("loud");\nint main(void) { shout(); }\n',
                      "int x;\nvoid loud(void) { x = 1; }\n")
    assert written(program) == {"x"}


def test_inline_functions(tmp_path: Path) -> None:
    inline = "extern int x;\ninline void set(void) { x = 1; }\n"
    program = project(tmp_path, f"{inline}int x;\nint main(void) {{ set(); }}\n", f"{inline}extern inline void set(void);\n")
    assert written(program) == {"x"} and len(program.templates) == 1
    plain = "static inline void set(int *p) { *p = 1; }\n"
    both = project(tmp_path, f"{plain}int x;\nvoid f(void);\nint main(void) {{ set(&x); f(); }}\n",
                   f"{plain}int y;\nvoid f(void) {{ set(&y); }}\n")
    assert written(both) == {"x", "y"}


def test_what_runs_around_main(tmp_path: Path) -> None:
    program = project(
        tmp_path, "int order[4], n;\n__attribute__((constructor)) static void last(void) { order[n++] = 3; }\n"
        "int main(void) { order[n++] = 4; return 0; }\n",
        "extern int order[], n;\n__attribute__((constructor(102))) void second(void) { order[n++] = 2; }\n"
        "__attribute__((constructor(101))) void first(void) { order[n++] = 1; }\n"
        "int z;\n__attribute__((destructor)) static void after(void) { z = 1; }\n")
    [main] = program.templates
    values = [line for e in main.cfa.edges for line in str(e.text).split(";") if line.startswith("order")]
    assert [v[-1] for v in values] == ["1", "2", "3", "4"]
    assert "z" in written(program)


def test_constructors_need_a_main(tmp_path: Path) -> None:
    text = '#include "circ.h"\nint x;\n__attribute__((constructor)) void f(void) { x = 1; }\ncirc_thread void w(void) { x++; }\n'
    with pytest.raises(FrontendError, match="no 'main' that they run around"):
        project(tmp_path, text)


@pytest.mark.parametrize("one, two, message", [
    ("int x = 1;", "int x = 1;", r"b\.c:1:5: error: 'x' is defined twice: here and at .*a\.c:1:5"),
    ("int x;", "long x;", r"b\.c:1:6: error: 'x' has another type here than at .*a\.c:1:5"),
    ("int x;", "extern _Thread_local int x;", r"'x' has another type here than at .*a\.c:1:5"),
    ("void g(void) { }", "void g(void) { }", r"b\.c:1:6: error: 'g' is defined twice: here and at .*a\.c:1:6"),
    ("void g(int a) { }", "void g(char *);", r"b\.c:1:6: error: 'g' has another type here than at .*a\.c:1:6"),
    ("struct s { int a; } x;", "struct s { int b; }; extern struct s x;", r"'x' has another type here than at .*a\.c:1:21"),
    ("int y; extern int x __attribute__((alias(\"y\")));", "int x = 1;", r"'x' is another name of 'y' here, and defined at .*b\.c"),
    ("extern int x __attribute__((alias(\"y\")));", "int y;", r"another name of 'y', which this file does not define"),
    ("static int n;", "int h(void) { extern int n; return n; }", r"'n' is not declared at file level here, and static at .*a\.c:1:12"),
])
def test_errors_name_both_places(tmp_path: Path, one: str, two: str, message: str) -> None:
    with pytest.raises(FrontendError, match=message):
        project(tmp_path, f"{one}\nint h(void);\nint main(void) {{ return h(); }}\n", f"{two}\n")


@pytest.mark.parametrize("one, two", [
    ("char *x;", "extern const char *x; int h(void) { return *x; }"),
    ("int x;", "extern unsigned x; int h(void) { return x; }"),
    ("struct a { int k; }; int g(struct a *p) { return p->k; }", "struct b; int g(struct b *); int h(void) { return g(0); }"),
    ("int g(void) { return 1; }", "int g(int *); int h(void) { return g(0); }"),
    ("int x;", "/* nothing */"),
])
def test_what_a_linker_takes_is_an_assumption(tmp_path: Path, one: str, two: str) -> None:
    program = project(tmp_path, f"{one}\nint h(void);\nint main(void) {{ return h(); }}\n", f"{two}\n")
    told = [a.text for a in program.assumptions if "of another type at" in a.text]
    assert len(told) == (0 if "nothing" in two else 1)


def test_the_file_with_main_names_the_program(tmp_path: Path) -> None:
    program = project(tmp_path, "int x;\nvoid f(void) { x++; }\n", f"void f(void);\n{MAIN}")
    assert Path(program.file).name == "b.c" and [Path(f).name for f in program.files] == ["a.c", "b.c"]


def test_the_fingerprint_covers_all_files(tmp_path: Path) -> None:
    first, second = f"void f(void);\n{MAIN}", "int x;\nvoid f(void) { x = 1; }\n"
    before = project(tmp_path, first, second).fingerprint()
    assert project(tmp_path, first, second).fingerprint() == before
    assert project(tmp_path, first, second.replace("= 1", "= 2")).fingerprint() != before


@pytest.mark.parametrize("name", ["test_and_set.c", "ring_buffer_isr.c"])
def test_a_file_beside_it_changes_nothing(tmp_path: Path, name: str) -> None:
    """Whatever an unrelated file has for itself, under names and tags that the program may use, the program stays the same."""
    other = tmp_path / "other.c"
    other.write_text("struct list { char c; };\nstatic int helper(struct list *l) { return l->c; }\n"
                     "int unrelated(void) { struct list l = {1}; return helper(&l); }\n")
    path = ROOT / "nesc_examples" / name
    assert load_project([SourceFile(str(path)), SourceFile(str(other))]).fingerprint() == load(path).fingerprint()


@pytest.mark.parametrize("paths, expected", [
    (["a.c", "b.c"], ["a.c", "b.c"]), (["x/a.c", "y/a.c"], ["x/a.c", "y/a.c"]),
    (["p/x/a.c", "q/x/a.c", "q/x/b.c"], ["p/x/a.c", "q/x/a.c", "b.c"]), (["a b.c", "a:b.c"], ["a_b.c.0", "a_b.c.1"]),
    (["a.c", "x/a.c"], ["a.c", "x/a.c"]),
])
def test_labels(paths: list[str], expected: list[str]) -> None:
    assert labels(paths) == expected


def test_annotations_of_several_files_are_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x;\n//@ invariant x >= 0;\n__attribute__((circ_thread)) void w(void) { atomic { x = 1; } }\n")
    (tmp_path / "b.c").write_text("extern int x;\nint main(void) { return x; }\n")
    files = [SourceFile(str(tmp_path / name)) for name in ("a.c", "b.c")]
    assert load_project(files).templates  # they are comments to `circ check`
    with pytest.raises(FrontendError) as error:
        load_project(files, LoadOptions(contracts=True))
    assert str(error.value).startswith(f"{tmp_path}/a.c:2:5: error: annotations in a program of several files")
