"""Assume-guarantee checking with annotations: programs with known verdicts, where they fail, and how it is said."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import circ
from circ.cli import app
from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Accepted, Refused
from circ.verdict import Assertions, Certificate, Options, Refuted, Safe, Unknown, Verdict, word
from frontend import FrontendError, LoadOptions, load
from frontend.program import Block, Program, op_writes, primitive
from tests.support.corpus import PROGRAMS, ROOT, Example, collect
from tests.support.randomc.annotated import examine

EXAMPLES = collect(PROGRAMS / "assume")
STEMS = ("simple_lock", "dekker", "reader_writer", "frangipani", "producer_consumer", "fork_join", "singleton", "sequence_lock")
PAPER_LINES = {"simple_lock": 1, "dekker": 3, "reader_writer": 3, "frangipani": 6}
"""Formulas that the paper writes for these programs (A_i, and I where there is one)."""


def program_of(example: Example) -> Program:
    ints = next(iter(example.option("--ints")), "exact")
    return load(example.path, LoadOptions(ints=ints, contracts=True))


def text_program(tmp_path: Path, text: str, **options: str) -> Program:
    path = tmp_path / "a.c"
    path.write_text("#include <circ_locks.h>\n" + text)
    return load(path, LoadOptions(contracts=True, **options))  # type: ignore[arg-type]


def verify(program: Program, unroll: int = 3) -> Verdict:
    """The answer about assertions and annotations, through the kernel."""
    found = circ.check(program, engine="assume-guarantee", prop="asserts", options=Options(unroll=unroll))
    return found.answers[0].verdict


def test_each_idiom_has_a_broken_annotation_and_a_broken_program() -> None:
    names = {e.path.stem for e in EXAMPLES}
    assert names >= {f"{stem}{kind}" for stem in STEMS for kind in ("", "_annotation", "_broken")}


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.path.stem for e in EXAMPLES])
def test_verdict_and_line(example: Example) -> None:
    """As the header says; what fails is reported at the line that is marked."""
    prop = next(iter(example.option("--property")))
    result = circ.check(program_of(example), engine="assume-guarantee", prop=prop)
    said = {a.shown: word(a.question, a.verdict) for a in result.answers}
    assert {x.subject: said.get(x.subject) for x in example.expectations} == {x.subject: x.verdict for x in example.expectations}
    lines = example.path.read_text().splitlines()
    marked = [n for n, line in enumerate(lines, 1) if "// FAILS" in line]
    verdict = next(a.verdict for a in result.answers if a.shown == "asserts")
    match verdict:
        case Unknown(where=where, details=details):
            assert [where.line] == marked
            assert any(d.startswith("before: ") for d in details)
        case Refuted(trace=trace):
            from circ.report.rerun import Rerun

            assert [Rerun(program_of(example), trace).failure().location.line] == marked
        case Safe():
            assert not marked


@pytest.mark.parametrize("stem", STEMS)
def test_annotations_are_as_short_as_the_papers(stem: str) -> None:
    text = (PROGRAMS / "assume" / f"{stem}.c").read_text()
    written = [line for line in text.splitlines() if re.match(r"\s*//@ (for \w+: )?(assumes|invariant)", line)]
    assert len(written) <= PAPER_LINES.get(stem, 3)


# --------------------------------------------------------------------------------------------------- what is said
def test_a_failure_has_the_step_the_states_and_a_hint() -> None:
    verdict = verify(program_of(next(e for e in EXAMPLES if e.path.stem == "simple_lock_annotation")))
    assert isinstance(verdict, Unknown)
    assert "assert(x > 1)" in verdict.reason
    assert "mx == \\tid ==> x' == x" in verdict.advice


def test_without_the_strengthened_invariant_dekker_names_step_and_state() -> None:
    verdict = verify(program_of(next(e for e in EXAMPLES if e.path.stem == "dekker_annotation")))
    assert isinstance(verdict, Unknown)
    assert "the step 'cs1 = !a2' of thread1 may break the invariant" in verdict.reason
    assert any(d.startswith("before: ") and "cs2 = 1" in d and "a2 = 0" in d for d in verdict.details)
    assert any(d.startswith("after:  cs1 = 1") for d in verdict.details)
    assert "cs2 ==> a2" in verdict.advice


def test_an_assumption_that_a_run_breaks_is_violated_at_the_step(tmp_path: Path) -> None:
    verdict = verify(text_program(tmp_path, """
        int mx, x;
        //@ assumes mx == \\tid ==> mx' == \\tid && x' == x;
        circ_threads(1) void one(void) { acq(mx); x = x + 2; rel(mx); }
        circ_threads(1) void two(void) { x = 0; }
    """))
    assert isinstance(verdict, Refuted)


def test_assumptions_have_to_be_reflexive(tmp_path: Path) -> None:
    verdict = verify(text_program(tmp_path, "int x;\n//@ assumes x' > x;\ncirc_thread void f(void) { x = x; assert(1); }"))
    assert isinstance(verdict, Unknown)
    assert "nothing happens" in verdict.reason


def test_the_assumption_that_is_not_reflexive_is_named(tmp_path: Path) -> None:
    verdict = verify(text_program(tmp_path, "int x, y;\n//@ assumes x' == x;\n//@ assumes y' > y;\ncirc_thread void f(void) { y = 1; }"))
    assert isinstance(verdict, Unknown)
    assert verdict.where.line == 4 and "y' > y" in verdict.reason and verdict.details[0].startswith("in the state: x = ")


def test_what_makes_an_assumption_transitive_is_hinted(tmp_path: Path) -> None:
    text = """
        #include <pthread.h>
        int x;
        //@ for main: assumes \\done(f) ==> x' == x;
        void *f(void *p) { x = 1; return 0; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_join(a, 0); x = 5; assert(x == 5); return 0; }
    """
    for hint in ("//@ for main: assumes \\done(f) ==> \\done(f)';", "//@ for f: assumes \\done(f)' == \\done(f);"):
        verdict = verify(text_program(tmp_path, text))
        assert isinstance(verdict, Unknown)
        assert verdict.advice == f"it would hold with {hint}"
        text += hint + "\n"
    assert isinstance(verify(text_program(tmp_path, text)), Safe)


def test_an_assumption_that_is_not_transitive_is_weakened(tmp_path: Path) -> None:
    """One step adds at most one, several may add more: that x <= 2 is not known, that it does not fall is."""
    text = """
        int x;
        //@ assumes x' >= x && x' <= x + 1;
        //@ invariant x <= 100;
        circ_threads(1) void one(void) {{ int a = x; int b = x; assert({claim}); }}
        circ_threads(1) void two(void) {{ int t = x; if (t < 100) x = t + 1; }}
    """
    claims = {"b >= a": Safe, "b <= a + 1": Unknown}
    for claim, expected in claims.items():
        verdict = verify(text_program(tmp_path, text.format(claim=claim) + "//@ for two: assumes x' == x;"))
        assert isinstance(verdict, expected), claim


# --------------------------------------------------------------------------------------------------- loops
LOOP = """
    int x;
    //@ for one: assumes x' == x;
    circ_threads(1) void one(void) {{
        int i = 0; x = 0;
        {note}
        while (i < {bound}) {{ i = i + 1; x = i; }}
        assert(x == {bound});
    }}
    circ_threads(1) void two(void) {{ int y = x; }}
"""


def test_a_loop_with_an_invariant_is_proved(tmp_path: Path) -> None:
    assert isinstance(verify(text_program(tmp_path, LOOP.format(note="//@ loop invariant 0 <= i <= 1000 && x == i;", bound=1000))), Safe)


@pytest.mark.parametrize("bound", [2, 1000])
def test_a_loop_without_an_invariant_is_never_safe(tmp_path: Path, bound: int) -> None:
    verdict = verify(text_program(tmp_path, LOOP.format(note="", bound=bound)), unroll=5)
    assert isinstance(verdict, Unknown)
    assert verdict.reason == "no violation within 5 iterations" and verdict.where.line == 8


@pytest.mark.parametrize(("note", "said"), [
    ("//@ loop invariant i == 1;", "when one comes to the loop"),
    ("//@ loop invariant i <= 1 && x == i;", "after an iteration"),
])
def test_a_wrong_loop_invariant_is_told_apart(tmp_path: Path, note: str, said: str) -> None:
    verdict = verify(text_program(tmp_path, LOOP.format(note=note, bound=3)))
    if isinstance(verdict, Unknown):
        assert said in verdict.reason
    else:
        assert isinstance(verdict, Refuted)


def test_handlers_run_again_without_an_invariant(tmp_path: Path) -> None:
    text = """
        int on, x;
        //@ invariant x >= 0;
        circ_interrupt(on) void handler(void) {{
            int i = 0;
            //@ loop invariant 0 <= i <= 3;
            while (i < 3) {{ i = i + 1; x = i; }}
            assert(x {claim});
        }}
        int main(void) {{ on = 1; return 0; }}
    """
    assert isinstance(verify(text_program(tmp_path, text.format(claim=">= 0"))), Safe)
    assert isinstance(verify(text_program(tmp_path, text.format(claim="== 2"))), Refuted)


# --------------------------------------------------------------------------------------------------- any number of threads
def test_any_number_of_threads_is_one_check(tmp_path: Path) -> None:
    lock = "int m, x;\n//@ assumes m == \\tid ==> m' == \\tid && x' == x;\n"
    good = "circ_thread void f(void) { acq(m); x = 1; assert(x == 1); x = 2; rel(m); }"
    assert isinstance(verify(text_program(tmp_path, lock + good)), Safe)
    assert not isinstance(verify(text_program(tmp_path, lock + good.replace("acq(m);", ""))), Safe)


def test_two_functions_of_any_number_have_different_numbers(tmp_path: Path) -> None:
    program = text_program(tmp_path, """
        int m, x;
        //@ assumes m == \\tid ==> m' == \\tid && x' == x;
        circ_thread void f(void) { acq(m); x = 1; assert(x == 1); rel(m); }
        circ_thread void g(void) { acq(m); x = 2; assert(x == 2); rel(m); }
    """)
    assert isinstance(verify(program), Safe)


# --------------------------------------------------------------------------------------------------- operations
def test_atomic_operations_of_ones_own(tmp_path: Path) -> None:
    text = """
        int m, x;
        //@ atomic ensures m == 0 && m' == \\tid;
        void take(void);
        //@ atomic ensures m' == 0;
        void give(void);
        //@ assumes m == \\tid ==> m' == \\tid && x' == x;
        circ_thread void f(void) {{ {take} x = 1; assert(x == 1); give(); }}
    """
    assert isinstance(verify(text_program(tmp_path, text.format(take="take();"))), Safe)
    assert not isinstance(verify(text_program(tmp_path, text.format(take=""))), Safe)


def said_of(program: Program) -> tuple[int, str]:
    """The line and the text of what is violated."""
    from circ.report.rerun import Rerun

    verdict = verify(program)
    assert isinstance(verdict, Refuted), verdict
    failure = Rerun(program, verdict.trace).failure()
    return failure.location.line, failure.text


BODY = """
    int m, x;
    //@ atomic ensures m == 0 && m' == \\tid;
    void take(void) {{ {take} }}
    //@ requires m == \\tid;
    //@ atomic ensures m' == 0 && \\result == n;
    int give(int n) {{ {give} }}
    //@ assumes m == \\tid ==> m' == \\tid && x' == x;
    circ_thread void f(void) {{
        take();
        x = 1;
        int a = give(x);
        assert(a == 1);
    }}
"""
TAKE, GIVE = "atomic { assume(m == 0); m = circ_tid(); }", "atomic { m = 0; } return n;"


def test_bodies_of_atomic_operations_are_checked(tmp_path: Path) -> None:
    program = text_program(tmp_path, BODY.format(take=TAKE, give="int r; atomic { m = 0; r = n; n = 7; } return r;"))
    assert isinstance(verify(program), Safe)
    assert not program.assumptions


def test_a_body_that_is_no_section_is_taken_as_one_step(tmp_path: Path) -> None:
    program = text_program(tmp_path, BODY.format(take=TAKE, give="m = 0; return n;"))
    assert isinstance(verify(program), Safe)
    assert "'give' runs in one step" in [a.text for a in program.assumptions]


@pytest.mark.parametrize(("take", "give", "line", "what"), [
    ("atomic { m = circ_tid(); }", GIVE, 4, "atomic ensures m == 0 && m' == \\tid"),
    ("atomic { assume(m == 0); m = 9; }", GIVE, 4, "atomic ensures m == 0 && m' == \\tid"),
    ("atomic { assume(m == 0); m = circ_tid(); x = 4; }", GIVE, 4, "atomic ensures m == 0 && m' == \\tid, and x unchanged"),
    (TAKE, "atomic { m = 0; } return n + 1;", 7, "atomic ensures m' == 0 && \\result == n"),
    (TAKE, "atomic { m = 0; n = 0; } return n;", 7, "atomic ensures m' == 0 && \\result == n"),
])
def test_bodies_that_do_something_else_are_refuted(tmp_path: Path, take: str, give: str, line: int, what: str) -> None:
    assert said_of(text_program(tmp_path, BODY.format(take=take, give=give))) == (line, what)


@pytest.mark.parametrize("take", ["asm(\"lock\");", "while (!__sync_bool_compare_and_swap(&m, 0, circ_tid())) ;", "unknown();"])
def test_bodies_that_are_not_understood_are_an_assumption(tmp_path: Path, take: str) -> None:
    program = text_program(tmp_path, "void unknown(void);\n" + BODY.format(take=take, give=GIVE))
    assert isinstance(verify(program), Safe)
    assert "'take' does in one step what its annotation says; its body is not looked at" in [a.text for a in program.assumptions]


@pytest.mark.parametrize("body", [";", "{ m = 0; }", "{ atomic { m = 0; } }"])
def test_what_an_atomic_operation_requires_is_checked_at_the_call(tmp_path: Path, body: str) -> None:
    line, what = said_of(text_program(tmp_path, f"""
        int m, x;
        //@ requires m == \\tid && n > 0;
        //@ atomic ensures m' == 0;
        void give(int n){body}
        circ_thread void f(void) {{
            x = 2;
            give(x);
        }}
    """))
    assert line == 9 and what.startswith("the call breaks 'requires m == \\tid && n > 0' (")


def test_a_call_that_breaks_a_contract_is_blamed(tmp_path: Path) -> None:
    text = """
        int m, x;
        //@ requires m == \\tid;
        static void put(int n) {{ x = n; }}
        circ_threads(1) void f(void) {{
            acq(m);
            put(1);
            {between}
            put(2);
        }}
        circ_threads(1) void g(void) {{ acq(m); rel(m); }}
    """
    assert said_of(text_program(tmp_path, text.format(between="rel(m);")))[0] == 10
    unknown = verify(text_program(tmp_path, text.format(between="")))
    assert isinstance(unknown, Unknown) and unknown.where.line == 8 and "a call of put in f may break" in unknown.reason


def test_claims_that_ask_nothing_are_no_steps_of_a_run(tmp_path: Path) -> None:
    from circ.report.rerun import Rerun

    program = text_program(tmp_path, "int x;\ncirc_threads(1) void f(void) {\n//@ loop invariant \\true;\nwhile (x < 1) x = x + 1;\nassert(x == 0); }")
    verdict = verify(program)
    assert isinstance(verdict, Refuted)
    assert [r.text for r in Rerun(program, verdict.trace).rows] == ["[x < 1]", "reads x", "x = x + 1", "[x >= 1]", "[x != 0]"]


def test_an_invariant_that_is_false_at_the_start(tmp_path: Path) -> None:
    program = text_program(tmp_path, "int x;\n//@ invariant x == 1;\ncirc_thread void f(void) { x = 1; }")
    assert said_of(program) == (3, "the invariant x == 1 is false at the start")


@pytest.mark.parametrize(("declared", "kind"), [("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER", "mutex"), ("pthread_spinlock_t m", "spin")])
def test_locks_of_pthreads_hold_their_owner(tmp_path: Path, declared: str, kind: str) -> None:
    path = tmp_path / "p.c"
    path.write_text(f"""
        #include <pthread.h>
        #include <assert.h>
        {declared};
        int x;
        //@ assumes m == \\tid ==> m' == \\tid && x' == x;
        void *f(void *p) {{ pthread_{kind}_lock(&m); x = 1; assert(x == 1); x = 0; pthread_{kind}_unlock(&m); return 0; }}
        int main(void) {{ pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0); return 0; }}
    """)
    assert isinstance(verify(load(path, LoadOptions(contracts=True))), Safe)


@pytest.mark.parametrize(("written", "good"), [("a[self + 1]", True), ("a[self]", False)])
def test_numbered_threads_know_their_number(tmp_path: Path, written: str, good: bool) -> None:
    text = f"int a[4];\n//@ assumes a[\\tid]' == a[\\tid];\ncirc_threads(2) void f(int self) {{ {written} = 4; assert({written} == 4); }}"
    assert isinstance(verify(text_program(tmp_path, text)), Safe if good else Refuted)


def test_the_hint_is_the_assumption_of_a_lock(tmp_path: Path) -> None:
    text = "int m, x;\ncirc_thread void f(void) { acq(m); x = 1; assert(x == 1); rel(m); }\n"
    verdict = verify(text_program(tmp_path, text))
    assert isinstance(verdict, Unknown)
    hint = "//@ assumes m == \\tid ==> m' == \\tid && x' == x;"
    assert verdict.advice == f"it would hold with {hint}"
    assert isinstance(verify(text_program(tmp_path, text + hint + "\n")), Safe)


@pytest.mark.parametrize("declared", ["", "void acq(int); "])
def test_locks_of_the_header_need_the_header(tmp_path: Path, declared: str) -> None:
    path = tmp_path / "a.c"
    path.write_text(f"{declared}int m;\n__attribute__((circ_thread)) void f(void) {{ acq(m); }}\n")
    with pytest.raises(FrontendError, match=r"a\.c:2:\d+: error: 'acq' is not defined \(#include <circ_locks\.h>"):
        load(path, LoadOptions(contracts=True))


def test_annotations_know_constants_macros_and_fields(tmp_path: Path) -> None:
    text = """
        #define TWO 2
        #define LIMIT (TWO + 1)
        enum state {{ IDLE, BUSY = 5 }};
        struct s {{ int f; int a[3]; }} g;
        int x; unsigned char st;
        //@ invariant x <= LIMIT && x >= -TWO;
        //@ invariant st == IDLE || st == BUSY;
        //@ invariant g.f == 0 && g.a[1] == 0;
        circ_thread void f(void) {{ atomic {{ if (x < LIMIT) x = x + 1; }} st = {state}; g.a[0] = 1; assert(st != 3); }}
    """
    assert isinstance(verify(text_program(tmp_path, text.format(state="BUSY"))), Safe)
    assert isinstance(verify(text_program(tmp_path, text.format(state="4"))), Refuted)


# --------------------------------------------------------------------------------------------------- contracts
CONTRACT = """
    int m, x;
    //@ assumes m == \\tid ==> m' == \\tid && x' == x;
    //@ requires m == \\tid && n > 0;
    //@ ensures m == \\tid && x == n && \\result == \\old(x);
    static int put(int n) {{ int before = x; x = {stored}; return before; }}
    circ_thread void f(void) {{
        acq(m);
        x = 3;
        int a = put({first});
        int b = put(7);
        assert(a == 3 && b == 5 && x == 7);
        rel(m);
    }}
"""


def test_contracts_are_used_at_calls(tmp_path: Path) -> None:
    assert isinstance(verify(text_program(tmp_path, CONTRACT.format(stored="n", first="5"))), Safe)


@pytest.mark.parametrize(("stored", "first"), [("n + 1", "5"), ("n", "-5")])
def test_broken_contracts_are_refuted(tmp_path: Path, stored: str, first: str) -> None:
    assert isinstance(verify(text_program(tmp_path, CONTRACT.format(stored=stored, first=first))), Refuted)


RECURSIVE = """
    int m, x;
    //@ assumes m == \\tid ==> m' == \\tid && x' == x;
    //@ requires m == \\tid && 0 <= n <= 10;
    //@ ensures m == \\tid && x == \\old(x) + n && \\result == 2 * n;
    static int add(int n) {{ {body} }}
    circ_thread void f(void) {{
        acq(m);
        x = 1;
        int a = add(4);
        int b = add(2);
        assert(a == 8 && b == 4 && x == 7);
        rel(m);
    }}
"""
ONE_MORE = "if (n == 0) return 0; int k = n; x = x + 1; int r = add(n - 1);"


@pytest.mark.parametrize("body", [
    f"{ONE_MORE} return r + k - n + 2;",
    "if (n == 0) return 0; x = x + 1; return 2 * n - 2 * (n - 1) + add(n - 1);",
    "if (n < 2) { x = x + n; return 2 * n; } return add(1) + add(n - 1);",
])
def test_contracts_of_recursive_functions(tmp_path: Path, body: str) -> None:
    """A call of itself is known by the contract, and what the function has in its own variables is there again behind it."""
    assert isinstance(verify(text_program(tmp_path, RECURSIVE.format(body=body))), Safe)


@pytest.mark.parametrize("body", [
    f"{ONE_MORE} return r + k - n + 1;",
    f"{ONE_MORE} x = x + 1; return r + 2;",
    f"{ONE_MORE} return n;",
    f"{ONE_MORE} rel(m); acq(m); return r + 2;",
    "if (n == 0) return 0; x = x + 1; return 2 + add(n - 2);",
    "if (n == 0) return 1; x = x + 1; return 2 + add(n - 1);",
    "static int k; if (n == 0) return 0; k = 2 * n; x = x + 1; add(n - 1); return k;",
])
def test_recursive_functions_that_break_their_contract(tmp_path: Path, body: str) -> None:
    verdict = verify(text_program(tmp_path, RECURSIVE.format(body=body)))
    assert not isinstance(verdict, Safe)
    if isinstance(verdict, Unknown):
        assert "add" in verdict.reason and verdict.details, verdict


def test_what_a_function_saves_before_it_calls_itself_is_checked(tmp_path: Path) -> None:
    """The kernel takes such a call for one step only if it sees that the register and what the contract keeps are saved."""
    program = text_program(tmp_path, RECURSIVE.format(body=f"{ONE_MORE} return r + 2;"))
    verdict = verify(program)
    assert isinstance(verdict, Safe)
    (template,) = program.templates
    saving = next(i for i, e in enumerate(template.cfa.edges) if "<saved" in "".join(op_writes(e.op)) and not e.doubts)
    saves = tuple(primitive(template.cfa.edges[saving].op))
    for lost in ("<saved", "add::<return>", "add::\\old(n)"):
        op = Block(tuple(p for p in saves if not any(lost in name for name in op_writes(p))))
        assert op.ops != saves
        edges = tuple(replace(e, op=op) if i == saving else e for i, e in enumerate(template.cfa.edges))
        changed = replace(program, templates=(replace(template, cfa=replace(template.cfa, edges=edges)),))
        forged = Certificate(changed.fingerprint(), Assertions(), verdict.certificate.kind, verdict.certificate.body)
        assert isinstance(check_any_kind(changed, Assertions(), forged), Refused), op


# --------------------------------------------------------------------------------------------------- the kernel
def test_the_kernel_refuses_closures_that_claim_too_much() -> None:
    example = next(e for e in EXAMPLES if e.path.stem == "simple_lock")
    program = program_of(example)
    verdict = verify(program)
    assert isinstance(verdict, Safe)
    certificate = verdict.certificate
    assert isinstance(check_any_kind(program, Assertions(), certificate), Accepted)
    claims = "(== x':i32 x:i32)"
    for body in ({"closures": [[claims], [claims]]}, {"closures": [[], []]}, {"closures": []}, {"closures": [["0:u1"], []]}, {}):
        changed = Certificate(certificate.program, certificate.question, certificate.kind, body)
        assert isinstance(check_any_kind(program, Assertions(), changed), Refused), body


def test_other_proofs_say_nothing_about_assumptions(tmp_path: Path) -> None:
    program = text_program(tmp_path, "int x;\n//@ assumes x' == x;\ncirc_threads(2) void f(void) { x = 1; }")
    for kind in ("no-error", "reachable", "pairs", "one-by-one"):
        assert isinstance(check_any_kind(program, Assertions(), Certificate(program.fingerprint(), Assertions(), kind, {})), Refused)


# --------------------------------------------------------------------------------------------------- the arbiter
def test_no_safe_of_random_programs_is_contradicted() -> None:
    tally = examine(range(7000, 7010))
    assert not tally.faults, str(tally)
    assert tally.verdicts["asserts safe"] >= 2, str(tally)


# --------------------------------------------------------------------------------------------------- what was inferred
@pytest.mark.parametrize("path", ["nesc_examples/test_and_set.c", "tests/programs/circ/conditional_locking.c", "tests/programs/circ/assume_lock.c"])
def test_what_circ_inferred_is_accepted_as_annotations(tmp_path: Path, path: str) -> None:
    """The round trip: printed by check, proved by verify; without the last line it is not."""
    printed = CliRunner().invoke(app, ["check", "--export-assumption", str(ROOT / path)])
    assert printed.exit_code == 0, printed.output
    assert "//@ ghost owner = \\tid at " in printed.output
    copy = tmp_path / "a.c"
    copy.write_text(printed.stdout)
    accepted = CliRunner().invoke(app, ["verify", "--property", "races", str(copy)])
    assert accepted.exit_code == 0, accepted.output
    copy.write_text("\n".join(printed.stdout.splitlines()[:-1]) + "\n")
    assert CliRunner().invoke(app, ["verify", "--property", "races", str(copy)]).exit_code == 3


def test_a_racy_program_has_nothing_to_export() -> None:
    printed = CliRunner().invoke(app, ["check", "--export-assumption", str(ROOT / "nesc_examples/test_and_set_no_atomic.c")])
    assert printed.exit_code == 3 and not printed.stdout


def test_a_lock_that_knows_its_owner_needs_no_ghost(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("#include <circ_locks.h>\nint m, x;\ncirc_thread void f(void) { acq(m); x = x + 1; rel(m); }\n")
    printed = CliRunner().invoke(app, ["check", "--export-assumption", str(path)])
    assert printed.exit_code == 0, printed.output
    assert "//@ assumes m == \\tid ==> m' == \\tid;" in printed.stdout and "ghost" not in printed.stdout


# --------------------------------------------------------------------------------------------------- bad annotations
@pytest.mark.parametrize(("text", "place", "what"), [
    ("//@ assumes x' == y;", "2:19", "there is no variable 'y'"),
    ("//@ invariant x' == 0;", "2:16", "no state after a step"),
    ("//@ invariant \\tid == 0;", "2:15", "speaks of no thread"),
    ("//@ assumes x' == x", "2:19", "does not end"),
    ("//@ assume x' == x;", "2:5", "unknown annotation 'assume'"),
    ("//@ assumes (x == 1;", "2:20", "')' is missing"),
    ("//@ assumes x == 1 2;", "2:20", "unexpected '2'"),
    ("//@ assumes ;", "2:13", "without a formula"),
    ("//@ for g: assumes x' == x;", "2:5", "'g' is not the function of a thread"),
    ("//@ loop invariant x == 0;", "2:5", "no loop follows"),
    ("//@ requires x == 0;\nint z;", "2:5", "belongs to no function"),
    ("//@ atomic ensures \\true;\n//@ ensures \\true;\nvoid g(void);", "3:5", "either 'ensures' or 'atomic ensures'"),
    ("//@ ensures \\true;\nvoid g(void);\ncirc_thread void h(void) { g(); }", "2:5", "has a contract, but no body"),
    ("int a[2];\n//@ atomic ensures \\true;\nvoid g(void) { a[1] = 1; }\ncirc_thread void h(void) { g(); }", "3:5", "elements of the array 'a[]'"),
    ("//@ assumes \\in(x);", "2:17", "unsigned variable"),
    ("//@ ghost x = \\tid at f: 0;", "2:5", "a variable 'x' already"),
    ("//@ ghost o = \\tid at f: 99;", "2:26", "has no location 99"),
    ("//@ ghost o = \\tid at g: 0;", "2:23", "'g' is not the function of a thread"),
    ("//@ ghost o = 1;", "2:5", "holds the number of the thread"),
    ("//@ assumes x # 1;", "2:15", "unexpected '#'"),
    ("//@ assumes\n//@   x' == x &&\n//@   y;", "4:7", "there is no variable 'y'"),
    ("/*@ assumes x' == x;\n  @ invariant q; */", "3:15", "there is no variable 'q'"),
])
def test_errors_in_annotations_have_their_place(tmp_path: Path, text: str, place: str, what: str) -> None:
    path = tmp_path / "a.c"
    path.write_text(f"#include <circ_locks.h>\n{text}\nint x;\ncirc_thread void f(void) {{ x = 1; }}\n")
    with pytest.raises(FrontendError) as error:
        load(path, LoadOptions(contracts=True))
    assert str(error.value).startswith(f"{path}:{place}: error: ") and what in str(error.value), str(error.value)
    load(path)  # who does not ask for annotations is not bothered


# --------------------------------------------------------------------------------------------------- the library
def test_the_library_function() -> None:
    [answer] = circ.verify(PROGRAMS / "assume" / "singleton.c").answers
    assert isinstance(answer.verdict, Safe) and answer.engine == "assume-guarantee"


def test_other_engines_leave_assumptions_alone() -> None:
    program = load(PROGRAMS / "assume" / "singleton.c", LoadOptions(contracts=True))
    [answer] = circ.check(program, engine="explicit", prop="asserts").answers
    assert isinstance(answer.verdict, Unknown) and not answer.verdict.bug


# --------------------------------------------------------------------------------------------------- the command line
def test_verify_on_the_command_line(tmp_path: Path) -> None:
    run = CliRunner().invoke(app, ["verify", str(PROGRAMS / "assume" / "singleton.c"), "--certificate", str(tmp_path), "--format", "json"])
    assert run.exit_code == 0, run.output
    assert json.loads(run.output)["files"][0]["answers"][0]["certificate"] == "assume-guarantee"
    (certificate,) = tmp_path.iterdir()
    again = CliRunner().invoke(app, ["recheck", str(certificate), str(PROGRAMS / "assume" / "singleton.c")])
    assert again.exit_code == 0, again.output


def test_an_assumption_that_contradicts_itself_is_warned_of(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x;\n//@ atomic ensures x == 1 && x == 2;\nvoid set(void);\n"
                                  "//@ atomic ensures x == 1;\nvoid one(void);\n"
                                  "#include <assert.h>\nvoid w(void) { one(); set(); assert(x == 3); }\n")
    run = CliRunner().invoke(app, ["verify", "--thread", "w", str(tmp_path / "a.c")])
    assert run.output.count("no run passes this: what is assumed here contradicts itself") == 1 and "a.c:7:23" in run.output


@pytest.mark.parametrize(("stem", "status"), [("dekker_annotation", 3), ("dekker_broken", 1)])
def test_status(stem: str, status: int) -> None:
    run = CliRunner().invoke(app, ["check", "--engine", "assume-guarantee", "--property", "asserts", str(PROGRAMS / "assume" / f"{stem}.c")])
    assert run.exit_code == status, run.output
