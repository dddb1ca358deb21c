"""The programs that are measured: C that compiles, safe or racy as meant, and of the size asked for."""

from __future__ import annotations

import importlib
import math
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

import circ
import frontend
from circ.verdict import Refuted, Safe
from frontend.program import Values

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from generate import nesc_program, state_machine, transmitter  # noqa: E402
from measure import exponent  # noqa: E402
from nescc import compile_application, compiler  # noqa: E402
from verify import cost, locked  # noqa: E402

SENSE = (ROOT / "nesc_examples" / "sense.c").read_text()


@pytest.mark.parametrize("script", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda p: p.stem)
def test_what_it_imports_is_there(script: Path) -> None:
    importlib.import_module(script.stem)


@pytest.mark.parametrize("text", [state_machine(3, 7), state_machine(2, 0, racy=True), transmitter(4), transmitter(40),
                                  nesc_program(SENSE, 2000)], ids=["machine", "racy", "tx4", "tx40", "nesc"])
@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_it_is_c(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(text)
    done = subprocess.run(["gcc", "-fsyntax-only", "-w", "-I", str(ROOT / "frontend" / "include"), str(path)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("text", "variable", "verdict"), [
    (state_machine(2, 1), "x", Safe), (state_machine(2, 1, racy=True), "x", Refuted), (transmitter(4), "count", Safe)],
    ids=["machine", "racy", "transmitter"])
def test_verdicts(text: str, variable: str, verdict: type[Safe] | type[Refuted], tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(text)
    [answer] = circ.check(frontend.load(path), [variable]).answers
    assert isinstance(answer.verdict, verdict)


def test_sizes() -> None:
    assert abs(nesc_program(SENSE, 10_000).count("\n") - 10_000) < 600
    assert nesc_program(SENSE, 10_000).count("static inline result_t") > 400
    assert nesc_program(SENSE, 2000) == nesc_program(SENSE, 2000)


def test_growth_is_fitted() -> None:
    assert exponent([(n, 3.0 * n**2) for n in (2.0, 5.0, 9.0)]) == pytest.approx(2)
    assert math.isnan(exponent([(1.0, 1.0)]))


def test_the_papers_table() -> None:
    data = tomllib.loads((ROOT / "benchmarks" / "table1.toml").read_text())
    assert sum(row["seconds"] for row in data["row"]) == 3789 and len(data["row"]) == 11
    for row in (*data["row"], *data["race"]):
        text = (ROOT / "nesc_examples" / row["file"]).read_text()
        assert f"EXPECT: {'safe' if 'seconds' in row else 'race'} {row['name']}\n" in text


def test_the_family_of_annotated_programs_is_proved() -> None:
    few, more = cost(locked(10, 2), 60), cost(locked(40, 5), 60)
    assert few is not None and more is not None
    assert few.conditions < more.conditions


def test_the_rows_of_compiled_applications_name_what_is_in_them() -> None:
    rows = tomllib.loads((ROOT / "benchmarks" / "table1.toml").read_text())["compiled"]
    folder = ROOT / "benchmarks" / "tinyos"
    assert len(rows) == 11
    for row in rows:
        module, name = row["name"].split("$")
        assert (folder / "apps" / f"{row['application']}.nc").is_file()
        text = (folder / "tos" / f"{module}.nc").read_text()
        assert re.search(rf"\b{name}\b", text) and (row["define"] in text or row["variable"] == "rec_ptr")


@pytest.mark.skipif(compiler() is None, reason="nescc is not installed")
def test_applications_that_nescc_compiles_are_read(tmp_path: Path) -> None:
    out = tmp_path / "sense.c"
    problem = compile_application("Sense", out, ("TOSPORT",))
    if problem is not None:
        pytest.skip(problem)
    program = frontend.load(out, frontend.LoadOptions(platform="atmega103", ignore_norace=True))
    main = next(t for t in program.templates if t.name == "main")
    assert next(v for v in program.globals if v.name == "*0x26.3").start == Values(1), "initialisation is executed"
    assert len(main.cfa.behind((main.cfa.start,))) < 10


# ------------------------------------------------------------------------------------------------ BenchExec
COMPETITION = ROOT / "benchmarks" / "competition"


@pytest.mark.parametrize("task", sorted((COMPETITION / "tasks").glob("*.yml")), ids=lambda p: p.stem)
def test_a_task_of_the_benchmark_definition_has_its_expected_verdict(task: Path) -> None:
    (asked,) = yaml.safe_load(task.read_text())["properties"]
    words = [sys.executable, "-m", "circ", "check", "--competition", "--property", asked["property_file"], task.name]
    done = subprocess.run(words, cwd=task.parent, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    expected = "true" if asked["expected_verdict"] else "false(no-data-race)"
    assert done.stdout.splitlines()[-1] == expected, done.stdout + done.stderr


def test_the_tool_info_reads_verdicts_as_circ_writes_them() -> None:
    pytest.importorskip("benchexec", reason="BenchExec is not installed")
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        tool = importlib.import_module("competition.circ_tool").Tool()
    finally:
        sys.path.pop(0)
    for line, status, said in [("true", 0, "true"), ("false(no-data-race)", 1, "false(no-data-race)"), ("unknown", 3, "unknown"),
                               ("true", 2, "ERROR (not readable)"), ("no word", 0, "unknown")]:
        run = SimpleNamespace(exit_code=SimpleNamespace(signal=None, value=status), output=["circ: 1 safe", line])
        assert tool.determine_result(run) == said
