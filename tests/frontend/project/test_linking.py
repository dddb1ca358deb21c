"""Which files are one program, from what each defines and needs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from frontend import LoadOptions, SourceFile
from frontend.project import Unit, programs_of, symbols_of


def units(folder: Path, files: dict[str, str], targets: dict[str, str] | None = None, platforms: dict[str, str] | None = None) -> list[Unit]:
    made = []
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        source = SourceFile(str(folder / name), platform=(platforms or {}).get(name))
        made.append(Unit(source, (targets or {}).get(name, ""), symbols_of(source, LoadOptions())))
    return made


def linked(folder: Path, files: dict[str, str], targets: dict[str, str] | None = None,
           platforms: dict[str, str] | None = None) -> list[list[str]]:
    return [[os.path.relpath(f.path, folder) for f in p.files] for p in programs_of(units(folder, files, targets, platforms))]


def test_what_is_missing_is_looked_for_and_what_that_misses(tmp_path: Path) -> None:
    assert linked(tmp_path, {
        "c.c": "int c(void) { return 0; }", "b.c": "int c(void); int b(void) { return c(); }",
        "main.c": "int b(void); int main(void) { return b(); }", "other.c": "int d(void) { return 1; }",
    }) == [["main.c", "c.c", "b.c"], ["other.c"]]


def test_variables_and_addresses_of_functions_are_needed(tmp_path: Path) -> None:
    assert linked(tmp_path, {
        "main.c": "extern int x; void h(void); void (*table[])(void) = { h }; int main(void) { return x; }",
        "x.c": "int x = 1;", "h.c": "void h(void) {}", "undeclared.c": "int f() { return 1; }",
    }) == [["main.c", "x.c", "h.c"], ["undeclared.c"]]


def test_each_main_is_a_program_and_files_may_be_in_several(tmp_path: Path) -> None:
    assert linked(tmp_path, {
        "a.c": "int f(void); int main(void) { return f(); }", "b.c": "int f(void); int main(void) { return f(); }",
        "f.c": "int f(void) { return 0; }",
    }) == [["a.c", "f.c"], ["b.c", "f.c"]]


@pytest.mark.parametrize("body", [
    "int f; return f;", "for (int f = 0; f < 3; f++) ; return 0;", "struct { int f; } s; return s.f;", "{ int f = 1; return f; }",
    "struct s { int f; } v = { .f = 1 }; return 0;", "goto f; f: return 0;",
])
def test_names_that_mean_something_else_here_need_nothing(tmp_path: Path, body: str) -> None:
    assert linked(tmp_path, {"main.c": f"int main(void) {{ {body} }}", "f.c": "int f(void) { return 0; }"})[0] == ["main.c"]


def test_static_functions_that_nobody_calls_need_nothing(tmp_path: Path) -> None:
    helper = "int f(void); static inline int unused(void) { return f(); } static int used(void) { return %s; }"
    f = {"f.c": "int f(void) { return 0; }"}
    assert linked(tmp_path, {"main.c": helper % "0" + "int main(void) { return used(); }", **f})[0] == ["main.c"]
    assert linked(tmp_path, {"main.c": helper % "unused()" + "int main(void) { return used(); }", **f})[0] == ["main.c", "f.c"]


def test_the_nearest_of_several_definitions_is_taken_and_said(tmp_path: Path) -> None:
    files = {"mock/clock.c": "int now(void) { return 0; }", "app/real/clock.c": "int now(void) { return 1; }",
             "app/main.c": "int now(void); int main(void) { return now(); }"}
    program = programs_of(units(tmp_path, files))[0]
    assert [os.path.relpath(f.path, tmp_path) for f in program.files] == ["app/main.c", "app/real/clock.c"]
    assert "'now' is the one of" in program.files[1].note and "mock/clock.c" in program.files[1].note


def test_all_files_of_an_executable_are_linked_and_of_libraries_what_is_needed(tmp_path: Path) -> None:
    files = {"main.c": "int main(void) { return 0; }", "plugin.c": "int plugged;", "lib/a.c": "int a;", "lib/b.c": "int b;"}
    targets = {"main.c": "app", "plugin.c": "app", "lib/a.c": "lib", "lib/b.c": "lib"}
    assert linked(tmp_path, files, targets) == [["main.c", "plugin.c"], ["lib/a.c", "lib/b.c"]]
    files["main.c"] = "extern int b; int main(void) { return b; }"
    assert linked(tmp_path, files, targets)[0] == ["main.c", "plugin.c", "lib/b.c"]


def test_weak_definitions_give_way_and_are_not_missing(tmp_path: Path) -> None:
    main = "__attribute__((weak)) int hook(void) { return 0; } int main(void) { return hook(); }"
    assert linked(tmp_path, {"main.c": main, "hook.c": "int hook(void) { return 1; }"}) == [["main.c", "hook.c"]]
    both = {"main.c": main, "weak.c": "__attribute__((weak)) int hook(void) { return 2; }"}
    assert linked(tmp_path, both) == [["main.c"], ["weak.c"]]
    header = "inline int twice(int x) { return 2 * x; }"
    assert linked(tmp_path, {"main.c": f"{header} int main(void) {{ return twice(1); }}", "a.c": f"{header} int a;"})[0] == ["main.c"]


def test_files_with_interrupt_handlers_belong_to_the_nearest_main_of_their_machine(tmp_path: Path) -> None:
    handler = "volatile int n; __attribute__((signal)) void __vector_%d(void) { n++; }"
    files = {"one/main.c": "int main(void) { for (;;) ; }", "one/isr.c": handler % 1, "two/main.c": "int main(void) { for (;;) ; }",
             "two/isr.c": handler % 2, "host/main.c": "int main(void) { return 0; }"}
    platforms = {name: "avr" for name in files if not name.startswith("host")}
    assert linked(tmp_path, files, platforms=platforms) == [
        ["one/main.c", "one/isr.c"], ["two/main.c", "two/isr.c"], ["host/main.c"]]


def test_parts_without_main_are_files_that_need_each_other(tmp_path: Path) -> None:
    assert linked(tmp_path, {
        "api.c": "int core(void); int api(void) { return core(); }", "core.c": "int core(void) { return 0; }", "lone.c": "int lone;",
        "twin.c": "int core(void) { return 1; } int twin;",
    }) == [["api.c", "core.c"], ["lone.c"], ["twin.c"]]
    assert linked(tmp_path / "b", {
        "api.c": "int core(void); int api(void) { return core(); }", "core.c": "int core(void) { return 0; }",
    }) == [["api.c", "core.c"]]
