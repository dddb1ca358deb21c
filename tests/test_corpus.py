"""The programs with known verdicts are well-formed C, say what must come out, and are taken by the front end."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import circ
from frontend import LoadOptions, load
from frontend.ir.library_table import KNOWN as LIBRARY
from frontend.program import FrontendError, Location
from tests.support.corpus import ASSERTS, PROGRAMS, ROOT, Example, Expectation, collect, decided, read_example

EXAMPLES = collect()
GCC = shutil.which("gcc")


def each(examples: tuple[Example, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("example", examples, ids=[e.name for e in examples])


def load_options(example: Example) -> LoadOptions:
    """The options in a program's header that concern loading."""
    def one(name: str) -> str | None:
        values = example.option(name)
        return values[-1] if values else None

    return LoadOptions(
        include=example.option("-I"), define=example.option("-D"), undefine=example.option("-U"),
        threads=example.option("--thread"), data_model=one("--data-model"), ints=one("--ints") or "exact",
        race_model=one("--race-model"), preemption=one("--preemption"), platform=one("--platform"),
        interrupts=tuple(text for name in example.option("--interrupts") for text in (name, (ROOT / name).read_text())),
    )


# ------------------------------------------------------------------------------------------------ headers
def test_there_are_enough_programs() -> None:
    assert len(collect(PROGRAMS)) >= 120
    for folder in ("circ", "protocols", "firmware", "sequential", "structures", "pthreads"):
        assert len(collect(PROGRAMS / folder)) >= 10, folder


def test_verdicts_are_mixed() -> None:
    said = [x.verdict for e in EXAMPLES for x in e.expectations]
    assert min(said.count("safe"), said.count("race")) >= 100
    assert said.count("violated") >= 20


@each(EXAMPLES)
def test_header(example: Example) -> None:
    """At least one expectation, each subject once, each variable named in the program's text or an object that a function called there keeps."""
    assert example.expectations, "no EXPECT line"
    subjects = [x.subject for x in example.expectations]
    assert len(subjects) == len(set(subjects)), f"said twice: {subjects}"
    text = example.path.read_text(encoding="utf-8")
    beside = [example.path.parent / name for name in re.findall(r'(?m)^#include "([^"]+)"', text)]
    text += "".join(path.read_text(encoding="utf-8") for path in beside if path.exists())  # a twin of another program includes it
    code = re.sub(r"//.*", "", text)
    kept = {state.object for name, function in LIBRARY.items() if re.search(rf"\b{name}\(", code) for state in function.states}
    kept |= {s for s in subjects if re.fullmatch(r"\*0x[0-9a-f]+|PORT[A-L]", s)}  # a register at an address that is computed
    for subject in sorted(set(subjects) - kept):
        for name in re.findall(r"[A-Za-z_$][\w$]*", "assert" if subject == ASSERTS else subject.removeprefix("argument@")):
            assert re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", code) or "circ_critical" in code, name
    asserts = ASSERTS in subjects
    assert asserts == bool({"asserts", "all"} & set(example.option("--property"))), "--property does not fit the expectations"


def test_headers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("// A title: not an option.\n// CIRC: --thread f=2\n// CIRC: -D 'N=1 + 1'\n//\n// EXPECT: safe s.f\n"
                    "// EXPECT: violated\nint x; // EXPECT: race x\n")
    assert read_example(path) == Example(path, ("--thread", "f=2", "-D", "N=1 + 1"),
                                         (Expectation("safe", "s.f", Location(str(path), 5)),
                                          Expectation("violated", ASSERTS, Location(str(path), 6))))


@pytest.mark.parametrize("line", ["fine x", "safe", "race asserts", "violated x y", "safe x y", ""])
def test_bad_headers_are_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.c"
    path.write_text(f"// EXPECT: {line}\n")
    with pytest.raises(FrontendError, match=r"a\.c:1"):
        read_example(path)


# ------------------------------------------------------------------------------------------------ C
@pytest.mark.skipif(GCC is None, reason="needs gcc")
@each(EXAMPLES)
def test_compiles(example: Example) -> None:
    assert GCC is not None
    ours = ROOT / "frontend" / "include"  # headers of processors and kernels that gcc does not have come from us
    done = subprocess.run([GCC, "-fsyntax-only", "-w", "-D_GNU_SOURCE", "-I", str(ours), "-idirafter", str(ours / "libc"), str(example.path)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ------------------------------------------------------------------------------------------------ front end
@each(EXAMPLES)
def test_loads(example: Example) -> None:
    """No program is refused, and every variable that a verdict is about is one the program shares or at least has."""
    program = load(example.path, load_options(example))
    assert program.templates
    known = {v.shown for v in program.globals} | {v.name for v in program.globals}
    for expectation in example.expectations:
        if expectation.subject == ASSERTS:
            assert program.invariants or any(t.cfa.errors or t.cfa.critical for t in program.templates) or \
                expectation.verdict == "safe", "no assertion is left to check"
        else:
            assert expectation.subject in known, sorted(known)


# ------------------------------------------------------------------------------------------------ verdicts
SAMPLE = tuple(read_example(ROOT / name) for name in (
    "nesc_examples/test_and_set.c",
    "nesc_examples/test_and_set_no_atomic.c",
    "nesc_examples/test_and_set_late_atomic.c",
    "tests/programs/circ/conditional_locking.c",
    "tests/programs/circ/conditional_locking_broken.c",
    "tests/programs/circ/peterson.c",
    "tests/programs/circ/split_phase_reentrant.c",
    "tests/programs/circ/four_threads_unbounded.c",
    "tests/programs/protocols/lease_single.c",
    "tests/programs/structures/seqlock.c",
))


@each(SAMPLE)
def test_decided_as_expected(example: Example) -> None:
    prop = next(iter(example.option("--property")), "races")
    result = circ.check(load(example.path, load_options(example)), prop=prop)
    said = {answer.shown: decided(answer) for answer in result.answers}
    wanted = {x.subject: x.verdict for x in example.expectations}
    assert {subject: said.get(subject) for subject in wanted} == wanted
