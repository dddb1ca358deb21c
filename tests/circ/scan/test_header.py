"""What a file's header may say, and that nothing it says runs or writes anything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from circ.cli import main
from circ.scan.header import ASKING, READING, read_header
from circ.scan.sources import find_sources
from frontend.program import FrontendError

LOCKED = "int x;\n__attribute__((circ_thread)) void w(void) { atomic { x = x + 1; } }\n"


def header(text: str, path: str = "src/a.c", project: str = "src") -> list[tuple[str, str]]:
    return [(o.name, o.value) for o in read_header(path, text, project).options]


def test_what_a_header_may_say() -> None:
    assert header("// A title\n// CIRC: --thread w=2 -D A='b c' -DB -U C\n//CIRC: --ints=math --ignore-norace -x s.f\nint x;\n// CIRC: -D no\n") == [
        ("--thread", "w=2"), ("-D", "A=b c"), ("-D", "B"), ("-U", "C"), ("--ints", "math"), ("--ignore-norace", ""), ("-x", "s.f")]


def test_words_are_split_as_a_shell_splits_them() -> None:
    assert header(r'''// CIRC: -D "a \"b\" \n" -D '\' -D x\ y -D ""''') == [
        ("-D", r'a "b" \n'), ("-D", "\\"), ("-D", "x y"), ("-D", "")]


@pytest.mark.parametrize("option", [
    "--cpp 'sh -c :'", "--cpp=x", "--certificate d", "--dump d", "-o f", "-of", "--output f", "--timeout 1", "--memory 1", "--debug",
    "--export-assumption", "--competition", "--format json", "--predicate p", "--k 2", "--unroll 2", "--explain", "--flow-rule",
    "other.c", "-", "--", "--ignore-norace=1", "-p", "--property p.prp", "--cache d", "--resume f", "-j 2", "--help", "--thre x",
])
def test_all_else_is_refused_with_its_place(option: str) -> None:
    with pytest.raises(FrontendError) as refused:
        header(f"// CIRC: -D A {option}\n")
    place = refused.value.location
    assert (place.file, place.line, place.column) == ("src/a.c", 1, 15) and refused.value.hint


def test_a_path_stays_in_the_project(tmp_path: Path) -> None:
    src = tmp_path / "src"
    (src / "sub").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    (src / "link").symlink_to("../out")
    (src / "inner").symlink_to("sub")
    where = str(src / "sub" / "a.c")
    for good in (".", "..", "../inner", "../missing", "x/../..", str(src)):
        assert header(f"// CIRC: -I {good}\n", where, str(src)) == [("-I", os.path.join(str(src / "sub"), good))]
    for bad in ("../..", "../link", "../../out", "/etc", str(tmp_path), "../../src2"):
        for option in (f"-I {bad}", f"-I{bad}", f"--interrupts {bad}", f"--interrupts={bad}"):
            with pytest.raises(FrontendError, match="lies outside"):
                header(f"// CIRC: {option}\n", where, str(src))


def test_the_project_is_what_was_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.c").write_text(LOCKED)
    (tmp_path / "compile_commands.json").write_text('[{"directory": ".", "file": "sub/a.c", "command": "cc -c sub/a.c"}]')
    monkeypatch.chdir(tmp_path)
    for named, project in (("sub", "sub"), (".", "."), ("sub/a.c", "sub"), ("sub/*.c", "sub"), ("compile_commands.json", ".")):
        [source] = find_sources([named])
        assert source.project == project and source.path == "sub/a.c"


def test_no_name_of_a_file_and_no_header_runs_or_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
) -> None:
    """Names and headers that would be options, were they words of a command line."""
    src = tmp_path / "src"
    src.mkdir()
    marks = ["--cpp=touch owned;.c", "-oowned.c", "--certificate=owned.c", "--dump=owned.c", "-.c", "--.c"]
    for name in marks:
        (src / name).write_text(LOCKED)
    for number, option in enumerate(("--cpp 'touch owned'", "--certificate owned", "--dump owned", "-o owned", "-- --cpp 'touch owned'")):
        (src / f"header{number}.c").write_text(f"// CIRC: {option}\n{LOCKED}")
    (src / "compile_commands.json").write_text(
        '[{"directory": ".", "file": "--cpp=touch owned;.c", "command": "cc -D --cpp -U \'--cpp=touch owned\' `touch owned` $(touch owned) ; touch owned"}]')
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(src)
    for named in (".", "compile_commands.json"):
        with pytest.raises(SystemExit) as end:
            main(["scan", named, "--format", "csv"])
        out, err = capfd.readouterr()
        if named == ".":
            assert end.value.code == 2 and out.count(",safe,") == len(marks) and out.count(",error,") == 5
            assert err.count("a file's header may not say") == 5
    assert sorted(p.name for p in src.iterdir()) == sorted([*marks, *(f"header{n}.c" for n in range(5)), "compile_commands.json"])


def test_the_list_is_short() -> None:
    """What is added here must neither run nor write anything, nor read outside of the project: see docs/security.md."""
    assert len(READING) == 13 and len(ASKING) == 3
