"""Thread-modular checking with a stack: recursion of any depth ends, and calls return to where they came from."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from circ.cli import app
from circ.finite import pushdown
from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Accepted, Outcome, Refused
from circ.verdict import Assertions, Certificate, Options, Question, RaceOn, Safe, Unknown, Verdict, silent
from frontend import LoadOptions, load
from frontend.program import FrontendError, Program
from tests.support.recursive_random import Product, random_text

PROGRAMS = Path(__file__).resolve().parent / "recursive"


def read(path: Path) -> Program:
    return load(path, LoadOptions(stack=True))


def written(folder: Path, text: str) -> Program:
    path = folder / "a.c"
    path.write_text('#include "circ.h"\n' + text)
    return read(path)


def run(p: Program, question: Question = Assertions()) -> Verdict:  # noqa: B008
    """The verdict; a proof has been through the kernel."""
    verdict = pushdown.check(p, question, Options(), silent)
    if isinstance(verdict, Safe):
        outcome = check_any_kind(p, question, verdict.certificate)
        assert isinstance(outcome, Accepted), outcome
    return verdict


@pytest.mark.parametrize(("name", "question", "safe"), [
    ("recursive_lock", Assertions(), True), ("recursive_lock", RaceOn("x"), True),
    ("recursive_no_lock", Assertions(), False), ("recursive_no_lock", RaceOn("x"), False),
    ("recursive_value", Assertions(), True),
])
def test_recursive_programs(name: str, question: Question, safe: bool) -> None:
    assert isinstance(run(read(PROGRAMS / f"{name}.c"), question), Safe if safe else Unknown)


def test_a_return_goes_to_its_own_call(tmp_path: Path) -> None:
    """A flow-insensitive return would let the value of one call come back at the other."""
    text = "int id(int a) { return a; }\ncirc_threads(1) void p(void) { int b = id(1); int c = id(2); assert(b == %d && c == 2); }"
    assert isinstance(run(written(tmp_path, text % 1)), Safe)
    assert isinstance(run(written(tmp_path, text % 2)), Unknown)


def test_a_global_written_deep_inside_is_seen_by_others(tmp_path: Path) -> None:
    text = """
    _Bool g;
    void deep(void) { if (nondet()) deep(); else g = %d; }
    circ_threads(1) void writer(void) { deep(); }
    circ_threads(1) void reader(void) { assert(!g); }"""
    assert isinstance(run(written(tmp_path, text % 0)), Safe)
    assert isinstance(run(written(tmp_path, text % 1)), Unknown)


def test_a_call_without_arguments_is_a_call(tmp_path: Path) -> None:
    text = "_Bool g;\nvoid set(void) { g = 1; }\ncirc_threads(1) void p(void) { set(); assert(g == %d); }"
    assert isinstance(run(written(tmp_path, text % 1)), Safe)
    assert isinstance(run(written(tmp_path, text % 0)), Unknown)


def test_a_step_within_an_interval_of_values_is_a_step(tmp_path: Path) -> None:
    """Values 0 to 3 of x are one to the engine; that x changes among them the kernel wants to be told."""
    text = ("int x;\ncirc_invariant(x <= 3);\ncirc_threads(2) void p(void)"
            "{ int n; for (;;) { n = nondet(); assume(n >= 0 && n <= %d); x = n; } }")
    assert isinstance(run(written(tmp_path, text % 3)), Safe)
    assert isinstance(run(written(tmp_path, text % 4)), Unknown)


def test_recursion_that_counts_for_ever_is_refused(tmp_path: Path) -> None:
    verdict = run(written(tmp_path, "void f(int n) { f(n + 1); }\ncirc_threads(1) void p(void) { f(0); assert(1); }"))
    assert isinstance(verdict, Unknown) and "'f::n'" in verdict.reason


@pytest.mark.parametrize(("text", "reason"), [
    ("int x;\nint *q = &x;\ncirc_threads(1) void p(void) { *q = 1; }", "neither a number"),
    ("int x;\nvoid f(void) { x = 1; }\ncirc_threads(1) void p(void) { atomic { f(); } }", "atomic"),
    ("int x;\ncirc_thread void p(void) { x = 1; }", "any number"),
])
def test_what_is_not_understood_is_refused_where_it_stands(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(FrontendError) as caught:
        written(tmp_path, text)
    assert reason in str(caught.value)


@pytest.mark.parametrize(("text", "safe"), [
    # A parameter that the first step overwrites: what was passed is gone.
    ("_Bool f(int a) { a = 0; return a == 0; }\ncirc_threads(1) void p(void) { assert(f(5)); }", True),
    ("_Bool f(int a) { a = 0; return a != 0; }\ncirc_threads(1) void p(void) { assert(f(5)); }", False),
    # A choice behind a condition on a parameter: it is taken for what is really passed.
    ("void f(int n) { unsigned char b = 0; if (n > 0) b = nondet(); assert(b != 7); }\ncirc_threads(1) void p(void) { f(1); }", False),
    ("void f(int n) { unsigned char b = 0; if (n > 0) b = nondet(); assert(b != 7); }\ncirc_threads(1) void p(void) { f(0); }", True),
    # Mutual recursion, and values that come back through it.
    ("_Bool odd(unsigned char n);\n_Bool even(unsigned char n) { if (n == 0) return 1; return odd(n - 1); }\n"
     "_Bool odd(unsigned char n) { if (n == 0) return 0; return even(n - 1); }\n"
     "circ_threads(1) void p(void) { assert(even(6)); assert(odd(3)); }", True),
    # A section that waits inside is not a place where the world stops.
    ("_Bool a, b;\ncirc_threads(1) void p(void) { atomic { a = 1; assume(b); } assert(0); }\n"
     "circ_threads(1) void q(void) { b = 1; }", False),
    ("_Bool a, b;\ncirc_threads(1) void p(void) { circ_critical { a = 1; } }\ncirc_threads(1) void q(void) { circ_critical { b = 1; } }",
     False),
    ("_Bool a;\nint up(int d) { if (nondet()) return up(d); return d; }\ncirc_invariant(!a);\n"
     "circ_threads(2) void p(void) { int k = up(1); if (k != 1) a = 1; }", True),
    ("int t[2];\nvoid put(int i) { t[i] = 1; if (nondet()) put(i); }\ncirc_threads(2) void p(int self) { put(self); assert(t[self] == 1); }", True),
    ("int t[2];\nvoid put(int i) { t[1 - i] = 0; t[i] = 1; }\ncirc_threads(2) void p(int self) { put(self); assert(t[self] == 1); }", False),
])
def test_small_programs(tmp_path: Path, text: str, safe: bool) -> None:
    assert isinstance(run(written(tmp_path, text)), Safe if safe else Unknown)


def test_elements_of_an_array_are_told_apart(tmp_path: Path) -> None:
    text = "int t[2];\nvoid put(int i) { t[i] = 1; if (nondet()) put(i); }\ncirc_threads(2) void p(int self) { put(%s); }"
    assert isinstance(run(written(tmp_path, text % "self"), RaceOn("t[]")), Safe)
    assert isinstance(run(written(tmp_path, text % "0"), RaceOn("t[]")), Unknown)


def test_a_search_of_the_product_does_not_end_where_summaries_do() -> None:
    """The deeper the stacks may be, the more states there are; the proof holds for every depth."""
    program = read(PROGRAMS / "recursive_lock.c")
    assert program.procedures is not None
    found = [Product(program.procedures, Assertions(), depth, 20_000).search() for depth in (2, 3)]
    assert all(f.cut and not f.wrong for f in found)
    assert found[0].states < found[1].states
    assert isinstance(run(program), Safe)


@pytest.mark.parametrize("seeds", [range(20), range(20, 40)], ids=str)
def test_random_programs_against_a_bounded_product(tmp_path: Path, seeds: range) -> None:
    """Never safe where a run within the bound is wrong; of a single thread, safe wherever the whole product is."""
    proved = 0
    for seed in seeds:
        try:
            program = written(tmp_path, random_text(seed))
        except FrontendError:
            continue
        source = program.procedures
        assert source is not None
        for question in (Assertions(), *(RaceOn(v.name) for v in source.program.globals if v.name == "a")):
            verdict = run(program, question)
            found = Product(source, question, 3, 1000).search()
            assert not (isinstance(verdict, Safe) and found.wrong), (seed, question)
            alone = sum(count for _, count in source.threads) == 1
            assert isinstance(verdict, Safe) or not alone or found.wrong or found.cut, (seed, question)
            proved += isinstance(verdict, Safe) and not verdict.trivial
    assert proved > len(seeds) / 2


# --------------------------------------------------------------------------------------------------- the kernel
LOCK = """
int m;
_Bool x = 1;
void work(int self)
{
    if (nondet()) work(self);
    atomic { assume(m == 0); m = %s; }
    x = 0;
    x = 1;
    assert(x);
    m = 0;
}
circ_threads(2) void p(int self) { work(self); }
"""


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> tuple[Program, Any]:
    program = written(tmp_path_factory.mktemp("lock"), LOCK % "self + 1")
    verdict = pushdown.check(program, Assertions(), Options(), silent)
    assert isinstance(verdict, Safe)
    return program, verdict.certificate.body


def judged(program: Program, body: Any) -> Outcome:
    return check_any_kind(program, Assertions(), Certificate(program.fingerprint(), Assertions(), "summaries", body))


def mutants(body: Any) -> Iterator[Any]:
    """The proof with one row, one caller or one step less."""
    for k, kind in enumerate(body["kinds"]):
        for s in range(len(kind["steps"])):
            less = copy.deepcopy(body)
            del less["kinds"][k]["steps"][s]
            yield less
        for e, entry in enumerate(kind["entries"]):
            for c in range(len(entry["callers"])):
                less = copy.deepcopy(body)
                del less["kinds"][k]["entries"][e]["callers"][c]
                yield less
            for s in range(len(entry["states"])):
                less = copy.deepcopy(body)
                del less["kinds"][k]["entries"][e]["states"][s]
                for other in less["kinds"][k]["entries"]:
                    other["callers"] = [[a, b - (a == e and b > s)] for a, b in other["callers"] if (a, b) != (e, s)]
                yield less


def test_a_proof_that_lacks_anything_is_refused(proof: tuple[Program, Any]) -> None:
    program, body = proof
    assert isinstance(judged(program, body), Accepted)
    obligations = set()
    for less in mutants(body):
        outcome = judged(program, less)
        assert isinstance(outcome, Refused)
        obligations.add(outcome.obligation)
    assert obligations >= {"start", "step", "call", "return", "others"}


@pytest.mark.parametrize("change", [
    lambda b: b.update(kinds=b["kinds"][:1]), lambda b: b.update(sections=[]), lambda b: b.pop("sections"),
    lambda b: b["kinds"][0].update(begin=[]), lambda b: b["kinds"][0].update(begin=[99]),
    lambda b: b["kinds"][0].update(more=1), lambda b: b["kinds"][0]["entries"][0].update(function=True),
    lambda b: b["kinds"][0]["entries"][0]["states"][0].__setitem__(1, -1),
    lambda b: b["kinds"][0]["entries"][0]["states"][0][0].__setitem__(0, [3, 2]),
    lambda b: b["kinds"][0]["entries"][0]["states"][0][0].__setitem__(1, 256),
    lambda b: b["kinds"][0]["entries"][0]["callers"].append([0, 999]),
])
def test_what_is_no_proof_is_refused(proof: tuple[Program, Any], change: Callable[[Any], object]) -> None:
    program, body = proof
    other = copy.deepcopy(body)
    change(other)
    assert isinstance(judged(program, other), Refused)


def test_the_proof_of_another_program_is_refused(proof: tuple[Program, Any], tmp_path: Path) -> None:
    """Both lock alike, but one of them lets the second thread in: 1 for both is nobody's number."""
    _, body = proof
    wrong = written(tmp_path, LOCK.replace("assume(m == 0);", "assume(m == 0 || m == 2);") % "self + 1")
    assert isinstance(judged(wrong, body), Refused)


def test_the_command_proves_and_rechecks(tmp_path: Path) -> None:
    runner = CliRunner()
    lock = str(PROGRAMS / "recursive_lock.c")
    done = runner.invoke(app, ["check", lock, "--engine", "pushdown", "--property", "asserts", "--certificate", str(tmp_path)])
    assert done.exit_code == 0 and "safe: no assertion can fail (pushdown" in done.stdout
    (path,) = tmp_path.iterdir()
    assert runner.invoke(app, ["recheck", str(path), lock]).exit_code == 0
    assert runner.invoke(app, ["recheck", str(path), str(PROGRAMS / "recursive_no_lock.c")]).exit_code == 1
