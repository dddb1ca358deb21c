"""Inputs that nobody would write: every one is answered within its limits, with a located message or a program; none is our bug."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from circ.report.findings import Finding, FoundAccess, FoundStep, FoundValue
from circ.report.rows import Head, Row
from circ.run.competition.tasks import read_property, read_task
from circ.run.supervise import Crashed, Died, Done, Emit, Limits, supervise
from circ.scan.header import read_header
from circ.scan.results import first_line, read_results, to_line
from frontend import load
from frontend.ir.interrupt_table import load_table
from frontend.program import FrontendError, Location
from frontend.project import compiled_files
from tests.support.mutations import mutated

ROOT = Path(__file__).parents[2]
LIMITS = Limits(10.0, 1500, 20.0)
PROGRAMS = sorted(p for p in (*(ROOT / "tests/programs").rglob("*.c"), *(ROOT / "nesc_examples").glob("*.c")) if p.stat().st_size < 4000)


def read_all(texts: list[str], folder: Path) -> list[str]:
    """What is wrong with how texts are read, each in a child under limits: our own mistakes, and deaths."""
    def start() -> object:
        def read(number: int, emit: Emit) -> str:
            path = folder / f"{number}.c"
            path.write_bytes(texts[number].encode("utf-8", "surrogateescape"))
            try:
                load(str(path))
            except FrontendError as error:
                return str(error.location)
            return ""

        return read

    bad = []
    for number, outcome in supervise(range(len(texts)), start, LIMITS):  # type: ignore[arg-type, var-annotated]
        if isinstance(outcome, Crashed | Died):
            bad.append(f"{outcome}\n{texts[number]}")
        elif isinstance(outcome, Done) and outcome.value.startswith("<circ>"):
            bad.append(f"an error without a place\n{texts[number]}")
    return bad


def mutants(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return [mutated(rng.choice(PROGRAMS).read_text(), rng) for _ in range(count)]


def test_mutated_programs(tmp_path: Path) -> None:
    assert read_all(mutants(60, 1), tmp_path) == []


# ------------------------------------------------------------------------------------------------ from a grammar
def _expressions() -> st.SearchStrategy[str]:
    atoms = st.sampled_from(["x", "y", "a[0]", "p->f", "*q", "s.f", "0", "1u", "'c'", "3.5", "sizeof(int)", "&x", "f(1)", "0x7fffffffffffffff", "-1"])
    return st.recursive(atoms, lambda e: st.one_of(
        st.builds("({} {} {})".format, e, st.sampled_from(["+", "-", "*", "/", "%", "<<", ">>", "<", "==", "&&", "||", "&", "|", "^", ",", "=", "+="]), e),
        st.builds("({} ? {} : {})".format, e, e, e), st.builds("{}{}".format, st.sampled_from(["!", "~", "-", "*", "&", "(char)", "++"]), e),
        st.builds("a[{}]".format, e), st.builds("f({}, {})".format, e, e), st.builds("({{ int t = {}; t; }})".format, e)), max_leaves=8)


EXPRESSIONS = _expressions()


def _statements() -> st.SearchStrategy[str]:
    simple = st.one_of(st.builds("{};".format, EXPRESSIONS), st.sampled_from(["break;", "continue;", "return;", "goto l;", "l: ;", ";", "int x = x;"]))
    return st.recursive(simple, lambda s: st.one_of(
        st.builds("if ({}) {} else {}".format, EXPRESSIONS, s, s), st.builds("while ({}) {}".format, EXPRESSIONS, s),
        st.builds("for (int i = 0; i < {}; i++) {}".format, EXPRESSIONS, s), st.builds("atomic {{ {} }}".format, s),
        st.builds("switch ({}) {{ case {}: {} default: {} }}".format, EXPRESSIONS, EXPRESSIONS, s, s),
        st.builds("{{ {} {} }}".format, s, s), st.builds("do {} while ({});".format, s, EXPRESSIONS)), max_leaves=6)


STATEMENTS = _statements()
PRELUDE = "struct s {{ int f; struct s *n; }} s, *p; int x, y, *q, a[3]; int f(); __attribute__((circ_thread)) void w(void) {{ {} }}\n"


@settings(max_examples=12, deadline=None, derandomize=True, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(st.lists(STATEMENTS, min_size=1, max_size=4))
def test_programs_from_a_grammar(tmp_path_factory: pytest.TempPathFactory, body: list[str]) -> None:
    assert read_all([PRELUDE.format(" ".join(body))], tmp_path_factory.mktemp("grammar")) == []


# ------------------------------------------------------------------------------------------------ data
DATABASE = json.dumps([{"directory": "/p", "file": "a.c", "command": "avr-gcc -mmcu=atmega128 -Iinc -D 'A=b c' -U X -isystem /usr/include -c a.c"},
                       {"directory": "/p", "file": "b.c", "arguments": ["cc", "-I", "inc", "-DONE=1", "-c", "b.c"], "output": "b.o"}])
TABLE = """[registers]
ADCSRA = 0x26
[status]
register = "ADCSRA"
bit = 7
[calls]
enable = ["on"]
[[handler]]
name = ["h", "g"]
enable = ["ADCSRA.7", "!ADCSRA.3", "mode == 2", "running"]
armed_by = ["ADCSRA.6"]
priority = 2
entered = "off"
"""
_FOUND = Finding("x", "race", "e", Location("a.c", 3, 4), Location("a.c", 1), "m", "00", ("w", "w"),
                 (FoundAccess("w", 1, Location("a.c", 3, 4), True, "x", "x = 1", locks=("l",), path=(Location("a.c", 9),), calls=("f",)),),
                 (FoundStep(1, Location("a.c", 2), "y = 1", (FoundValue("y", 1),)),), ("why",), predicates=("x == 0",))
RESULTS = first_line() + to_line(Head("a.c", "k", 1, ("x",), models="m", seconds=0.1)) + to_line(
    Row("a.c", "k", "x", _FOUND, seconds=0.1, limits=(60.0, 4096, None)))
TASK = """format_version: '2.0'
input_files: ['a.c', "b.c"]  # both
properties:
  - property_file: ../properties/no-data-race.prp
    expected_verdict: true
options:
  language: C
  data_model: ILP32
"""
PROPERTY = "CHECK( init(main()), LTL(G ! data-race) )\n"
HEADER = "// CIRC: --thread w=2 -D 'A=b c' -I . --interrupts t.toml --property asserts -x \"s.f\"\n// EXPECT: safe x\n// EXPECT: violated\nint x;\n"


def data_round(rng: random.Random, folder: Path) -> None:
    """One mutant of each kind of data; anything but a FrontendError is a failure of the test."""
    database, results = folder / "compile_commands.json", folder / "results.jsonl"
    database.write_bytes(mutated(DATABASE, rng, data=True).encode("utf-8", "surrogateescape"))
    results.write_bytes(mutated(RESULTS, rng, data=True).encode("utf-8", "surrogateescape"))
    task, wanted = folder / "task.yml", folder / "wanted.prp"
    task.write_bytes(mutated(TASK, rng, data=True).encode("utf-8", "surrogateescape"))
    wanted.write_bytes(mutated(PROPERTY, rng, data=True).encode("utf-8", "surrogateescape"))
    table, header = mutated(TABLE, rng, data=True), mutated(HEADER, rng, data=True)
    for read in (lambda: compiled_files(str(database)), lambda: read_results(results), lambda: load_table(None, "t.toml", table),
                 lambda: load_table("atmega128", "t.toml", table), lambda: read_header("a.c", header, "."),
                 lambda: read_task(str(task)), lambda: read_property(str(wanted))):
        try:
            read()
        except FrontendError as error:
            assert error.location.line >= 1


def test_the_data_is_right_before_it_is_changed(tmp_path: Path) -> None:
    (tmp_path / "compile_commands.json").write_text(DATABASE)
    (tmp_path / "results.jsonl").write_text(RESULTS)
    (tmp_path / "task.yml").write_text(TASK)
    (tmp_path / "wanted.prp").write_text(PROPERTY)
    assert len(read_task(str(tmp_path / "task.yml")).files) == 2 and read_property(str(tmp_path / "wanted.prp")) == "races"
    assert len(compiled_files(str(tmp_path / "compile_commands.json")).files) == 2 and len(read_results(tmp_path / "results.jsonl")) == 1
    assert len(load_table(None, "t.toml", TABLE).rules) == 1 and len(read_header("a.c", HEADER, ".").options) == 6


def test_mutated_data(tmp_path: Path) -> None:
    rng = random.Random(7)
    for _ in range(150):
        data_round(rng, tmp_path)
