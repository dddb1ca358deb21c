"""`circ check -p build/`: the programs of a project that CMake, make or anybody's script builds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TELEMETRY = Path(__file__).parent.parent / "projects" / "telemetry"


def circ(folder: Path, *args: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "circ", *map(str, args)], capture_output=True, text=True, cwd=folder, check=False,
                          env={**os.environ, **(env or {})})


def verdicts(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, str]]:
    """By name of a program: each variable with its verdict."""
    return {Path(entry["file"]).name: {a["variable"]: a["verdict"] for a in entry["answers"] if '"' not in a["variable"]}
            for entry in json.loads(done.stdout)["files"]}


COLLECTOR = {"verbose": "safe", "counters[]": "safe", "samples.slots[]": "safe", "samples.head": "safe", "samples.tail": "safe",
             "transport_sent": "race", "worker": "safe"}


@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
@pytest.mark.parametrize("cpp", [[], ["--cpp", "own"]], ids=["compiler", "own"])
def test_a_cmake_project_of_three_libraries_and_two_executables(tmp_path: Path, cpp: list[str]) -> None:
    shutil.copytree(TELEMETRY, tmp_path / "telemetry")
    subprocess.run(["cmake", "-S", "telemetry", "-B", "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], cwd=tmp_path, check=True,
                   capture_output=True)
    done = circ(tmp_path, "check", "-p", "build", "--format", "json", *cpp)
    assert done.returncode == 1 and done.stderr == ""
    found = verdicts(done)
    assert list(found) == ["collector.c", "reporter.c"]
    assert found["collector.c"].items() >= COLLECTOR.items()
    assert found["reporter.c"] == {"main::amounts[]": "safe", "counters[]": "safe"}
    files = {Path(e["file"]).name: [Path(f).name for f in e["program"]["files"]] for e in json.loads(done.stdout)["files"]}
    assert sorted(files["collector.c"]) == ["collector.c", "counters.c", "format.c", "options.c", "ring.c", "transport.c"]
    assert sorted(files["reporter.c"]) == ["counters.c", "format.c", "reporter.c"]


def database(folder: Path, commands: dict[str, str]) -> Path:
    path = folder / "compile_commands.json"
    path.write_text(json.dumps([{"directory": str(folder), "file": file, "command": f"{command} -c {file}"}
                                for file, command in commands.items()]))
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """What a script around make may have written: no targets, one `main`, a file that is in no program."""
    source = tmp_path / "src"
    shutil.copytree(TELEMETRY, source)
    flags = "gcc -O2 -Wall -DMETRICS_SLOTS=4 -I. -Iring -Imetrics -Itransport"
    database(source, dict.fromkeys(("apps/collector.c", "apps/options.c", "metrics/counters.c", "metrics/format.c", "ring/ring.c", "transport/transport.c"), flags))
    return source


def test_a_database_without_targets(project: Path) -> None:
    done = circ(project.parent, "check", "src", "--format", "json")
    assert done.returncode == 1 and done.stderr == ""
    assert verdicts(done)["collector.c"].items() >= COLLECTOR.items()
    table = circ(project, "scan", "-p", ".", "--no-cache", "--format", "csv").stdout
    assert "apps/collector.c,27,transport_sent,race," in table


def test_targets_exclusions_and_evidence(project: Path) -> None:
    one = circ(project, "check", "-p", ".", "--target", "collector", "-x", "transport_sent", "-x", "samples.head", "--certificate", "proofs")
    assert one.returncode == 1
    [race], [proof] = (project / "proofs").glob("*.transport_sent.*"), (project / "proofs").glob("*.samples.head.*")
    assert circ(project, "replay", race, "-p", ".").returncode == 0
    assert circ(project, "recheck", proof, "compile_commands.json").returncode == 0
    assert circ(project, "recheck", proof, "-p", ".", "--exclude", "options.c").returncode == 1
    assert "transport.c:17" in circ(project, "cfa", "-p", ".").stdout
    none = circ(project, "check", "-p", ".", "--target", "nosuch")
    assert none.returncode == 2 and "there are: collector" in none.stderr
    elsewhere = circ(project, "check", "-p", "apps")
    assert elsewhere.returncode == 2 and "no compile_commands.json here" in elsewhere.stderr
    assert circ(project, "check").returncode == 2


def test_a_file_that_cannot_be_read_does_not_stop_the_others(project: Path) -> None:
    (project / "broken.c").write_text("int broken = ;\n")
    path = project / "compile_commands.json"
    path.write_text(json.dumps([*json.loads(path.read_text()), {"directory": str(project), "file": "broken.c", "command": "gcc broken.c"}]))
    done = circ(project, "check", "-p", ".", "-x", "transport_sent")
    assert done.returncode == 2 and "broken.c:1:14: error:" in done.stderr
    assert "race on 'transport_sent'" in done.stdout
    assert "assuming: broken.c, which could not be read, is no part of the program" in done.stdout


# ------------------------------------------------------------------------------------------------ what is run
SMALL = "#include <stddef.h>\nint x;\n__attribute__((circ_thread)) void w(void)\n{\n    x = FROM_COMPILER;\n}\n"


def fake_compiler(path: Path) -> Path:
    """Says that it was run, and with which words; stands in for a preprocessor."""
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(f"#!/bin/sh\necho \"$0 $@\" >> {path.parent}/ran\necho 'int x; __attribute__((circ_thread)) void w(void) {{ x = 1; }}'\n")
    path.chmod(0o755)
    return path.parent


def test_a_known_compiler_of_the_path_preprocesses_with_harmless_flags(tmp_path: Path) -> None:
    tools = fake_compiler(tmp_path / "tools" / "arm-none-eabi-gcc")
    project = tmp_path / "src"
    project.mkdir()
    (project / "a.c").write_text(SMALL)
    database(project, {"a.c": "/some/where/arm-none-eabi-gcc -std=c11 -mthumb -fplugin=evil.so -wrapper sh -o -x @evil -DA"})
    done = circ(project, "check", "-p", ".", env={"PATH": f"{tools}:{os.environ['PATH']}"})
    assert done.returncode == 1 and "race on 'x'" in done.stdout and "ilp32" in done.stdout
    [ran] = set((tools / "ran").read_text().splitlines())
    assert ran.startswith(f"{tools}/arm-none-eabi-gcc -E -std=c11 -mthumb -C -D__CIRC__=1 -DA ") and ran.endswith(" a.c")
    assert not {"-fplugin=evil.so", "-wrapper", "sh", "-o", "-x", "@evil"} & set(ran.split())


@pytest.mark.parametrize("compiler", ["./gcc-99", "gcc-99", "evil", "sh", "bin/gcc-99"])
def test_no_program_of_the_project_and_no_unknown_one_is_run(tmp_path: Path, compiler: str) -> None:
    for place in ("gcc-99", "evil", "bin/gcc-99"):
        fake_compiler(tmp_path / place)
    (tmp_path / "a.c").write_text(SMALL)
    database(tmp_path, {"a.c": f"{compiler} -DFROM_COMPILER=2"})
    done = circ(tmp_path, "check", "-p", ".", env={"PATH": f".:{tmp_path}:{tmp_path}/bin:{os.environ['PATH']}"})
    assert done.returncode == 1 and "macros and headers are circ's own" in done.stdout
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize("name", ["-fplugin=evil.c", "-oout.c", "-wrapper,sh.c"])
def test_no_name_of_a_file_is_an_option_of_the_compiler(tmp_path: Path, name: str) -> None:
    tools = fake_compiler(tmp_path / "tools" / "gcc-98")
    project = tmp_path / "src"
    project.mkdir()
    (project / name).write_text(SMALL)
    (project / "compile_commands.json").write_text(json.dumps([{"directory": ".", "file": name, "arguments": ["gcc-98", "-c", name]}]))
    assert circ(project, "check", "-p", ".", env={"PATH": f"{tools}:{os.environ['PATH']}"}).returncode == 1
    assert {line.split()[-1] for line in (tools / "ran").read_text().splitlines()} == {f"./{name}"}


def test_a_file_of_options_by_its_name_is_given_to_no_compiler(tmp_path: Path) -> None:
    tools = fake_compiler(tmp_path / "tools" / "gcc-98")
    project = tmp_path / "src"
    project.mkdir()
    (project / "@evil.c").write_text(SMALL)
    database(project, {"@evil.c": "gcc-98"})
    done = circ(project, "check", "-p", ".", env={"PATH": f"{tools}:{os.environ['PATH']}"})
    assert done.returncode == 2 and "is a file of options" in done.stdout + done.stderr and not list(tmp_path.rglob("ran"))


def test_own_headers_are_one_word_away(project: Path) -> None:
    done = circ(project, "check", "-p", ".", "--cpp", "own", "-x", "transport_sent", env={"PATH": "/nowhere"})
    assert done.returncode == 1 and "circ's own" not in done.stdout
    done = circ(project, "check", "-p", ".", "-x", "transport_sent", env={"PATH": "/nowhere"})
    assert done.returncode == 1 and "the compiler 'gcc' is not here" in done.stdout
