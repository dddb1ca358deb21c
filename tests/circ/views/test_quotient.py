"""A program seen through some variables can do all that it can; proofs about it speak of the program."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import circ
import frontend
from circ.kernel.certificate import check_certificate
from circ.kernel.outcome import Accepted, Refused
from circ.search.explicit import oracle
from circ.static.focus import Influence
from circ.static.prover import Static
from circ.verdict import Certificate, Options, RaceOn, Safe, silent
from circ.views import quotient
from circ.views.quotient import Quotients
from circ.views.variable_sets import VariableSet, from_rows
from frontend.program import Program
from tests.support.build import program, thread
from tests.support.kernel import attack
from tests.support.randomc import automata


def some_names(p: Program, rng: random.Random) -> VariableSet:
    share = rng.choice((0.2, 0.5, 0.8))
    return from_rows(p, frozenset(v.name for v in p.globals if rng.random() < share),
                     tuple(frozenset(v.name for v in t.locals if rng.random() < share) for t in p.templates))


@pytest.mark.parametrize("seed", range(150))
def test_no_race_is_lost(seed: int) -> None:
    rng = random.Random(seed)
    for p in (automata.random_program(seed, bounded=True), attack.random_program(rng)):
        quotients = Quotients(p)
        for v in p.shared:
            if oracle(p, RaceOn(v.name), 2, 3_000):
                small = quotients.of(some_names(p, rng), frozenset({v.name}))
                assert oracle(small, RaceOn(v.name), 2, 30_000) is not False


@pytest.mark.parametrize("seed", range(60))
def test_put_together_step_by_step_or_at_once(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Locations are first put together for many variables, then for fewer of them: the quotient is the same."""
    rng = random.Random(seed)
    for p in (automata.random_program(seed, bounded=True), attack.random_program(rng)):
        made = []
        asked = [(some_names(p, rng), frozenset({v.name})) for v in p.shared for _ in range(3)]
        asked += [(VariableSet(kept.globals), variable) for kept, variable in asked]
        for few in (0, 1_000):
            monkeypatch.setattr(quotient, "FEW", few)
            quotients = Quotients(p)
            made.append([quotients.of(*key) for key in asked])
        assert made[0] == made[1]


NOISE = "\n".join(f"{n} {n + 1} noise = noise + {n}" for n in range(1, 12))
LOCKED = program("x m noise", thread("w", f"! 0 1 [m == 0] ; m = 1\n{NOISE}\n12 13 x = 1\n! 13 0 m = 0"))
SECTIONS = program("x noise", thread("w", "0 1 x = 1\n1 2 \n2 3 noise = 1\n3 4 \n4 0 x = 2", atomic=(2, 3)))


def names(*globals_: str) -> VariableSet:
    return VariableSet(frozenset(globals_))


def test_what_does_not_matter_vanishes() -> None:
    [t] = Quotients(LOCKED).of(names("m"), frozenset({"x"})).templates
    assert t.cfa.size == 3 and len(t.cfa.edges) == 3
    assert {a.variable for e in t.cfa.edges for a in e.accesses} == {"x"}


def test_an_atomic_section_in_which_nothing_happens_is_none() -> None:
    [t] = Quotients(SECTIONS).of(names(), frozenset({"x"})).templates
    assert not t.cfa.atomic and t.cfa.size == 2
    [t] = Quotients(SECTIONS).of(names("noise"), frozenset({"x"})).templates
    assert t.cfa.atomic


def test_an_index_that_is_not_kept_may_be_any() -> None:
    p = program("a[4]", thread("w", "0 1 a[i] = 1", locals="i=self", count=2))
    [t] = Quotients(p).of(names(), frozenset({"a"})).templates
    assert t.cfa.edges[0].accesses[0].whole and oracle(p, RaceOn("a"), 0) is False
    assert oracle(Quotients(p).of(names(), frozenset({"a"})), RaceOn("a"), 0) is True


def test_who_waits_for_locations_waits_for_their_nodes() -> None:
    p = program("x y", thread("w", "0 1 y = 1 / 1 2 y = 2 / 2 3 x = 1 / 3 3 x = 3", count=2),
                thread("m", "0 1 all w 3 / 1 2 x = 2", count=1))
    small = Quotients(p).of(VariableSet(), frozenset({"x"}))
    assert small.template("w").cfa.size == 2
    assert oracle(p, RaceOn("x"), 0) and oracle(small, RaceOn("x"), 0)
    [wait, _] = small.template("m").cfa.edges
    assert "all w at {1}" in str(wait)


def test_a_guard_behind_an_access_that_is_not_seen_any_more_does_not_hide_it() -> None:
    p = program("x y", thread("w", "0 1 t = x + y ; [t == 1]", locals="t=*", count=2), thread("m", "0 1 x = 1", count=1))
    small = Quotients(p).of(VariableSet(locals=frozenset({(p.templates[0].name, "t")})), frozenset({"x"}))
    assert oracle(p, RaceOn("x"), 0) and oracle(small, RaceOn("x"), 0)


def test_a_proof_about_the_quotient_is_one_about_the_program() -> None:
    q = RaceOn("x")
    small = Quotients(LOCKED).of(names("m"), frozenset({"x"}))
    proof = Static()(small, q, Options(), silent)
    assert isinstance(proof, Safe)
    body = {"globals": ["m"], "locals": [[]], "asked": ["x"], "kind": proof.certificate.kind, "body": proof.certificate.body}
    assert isinstance(check_certificate(LOCKED, q, Certificate(LOCKED.fingerprint(), q, "quotient", body)), Accepted)
    open_ = program("x m noise", thread("w", f"! 0 1 m = 1\n{NOISE}\n12 13 x = 1\n! 13 0 m = 0"))
    assert isinstance(check_certificate(open_, q, Certificate(open_.fingerprint(), q, "quotient", body)), Refused)
    changes: list[dict[str, object]] = [
        {"asked": []}, {"asked": ["m"]}, {"globals": []}, {"locals": []}, {"locals": [["t"], []]}, {"kind": "quotient"},
        {"kind": "unshared", "body": {}}, {"globals": "m"}, {"asked": [["x"]]}, {"body": None}, {"more": 1}]
    for wrong in changes:
        certificate = Certificate(LOCKED.fingerprint(), q, "quotient", {**body, **wrong})
        assert isinstance(check_certificate(LOCKED, q, certificate), Refused), wrong


MODULE = """
static pthread_mutex_t lock_N = PTHREAD_MUTEX_INITIALIZER; static int a_N, b_N[4], c_N;
static int mix_N(int n) { int i, s = n; for (i = 0; i < 4; i++) { if (s & 1) s += i; else s ^= n; } return s; }
static void use_N(int n) { n = mix_N(n); pthread_mutex_lock(&lock_N); a_N += n; b_N[n & 3]++; pthread_mutex_unlock(&lock_N); }
static void odd_N(void) { pthread_mutex_lock(&lock_N); c_N++; pthread_mutex_unlock(&lock_N); MORE }
"""


def test_a_large_program_is_decided_variable_by_variable(tmp_path: Path) -> None:
    parts = [MODULE.replace("MORE", f"c_{n} = 0;" if n == 3 else "").replace("_N", f"_{n}") for n in range(12)]
    calls = "".join(f"use_{n}(n + {n}); odd_{n}(); " for n in range(12))
    path = tmp_path / "large.c"
    path.write_text("#include <pthread.h>\n" + "".join(parts) + f"""
void *w(void *a) {{ int n = (int)(long)a; {calls} return a; }}
int main(void) {{ pthread_t t, u; pthread_create(&t, 0, w, 0); pthread_create(&u, 0, w, 0);
  pthread_join(t, 0); pthread_join(u, 0); return a_0 + c_1; }}""")
    p = frontend.load(path)
    found = {a.shown: a for a in circ.check(p, ["a_0", "b_1", "c_3"]).answers}
    proved = [found[name].verdict for name in ("a_0", "b_1[]")]
    assert all(isinstance(v, Safe) and v.certificate.kind == "quotient" for v in proved)
    assert not isinstance(found["c_3"].verdict, Safe)


FILLER = """
static int state_N, total_N;
static void part_N(int n) {
  switch (state_N & 3) { case 0: state_N += n; break; case 1: atomic { total_N += n; } break; default: state_N = 0; }
}
"""


def test_handlers_are_seen_through_what_influences_them(tmp_path: Path) -> None:
    count = 40
    path = tmp_path / "reactive.c"
    calls = "".join(f"part_{n}({n}); " for n in range(count))
    path.write_text("".join(FILLER.replace("_N", f"_{n}") for n in range(count)) + f"""
int x_0, x_1, on = 1, busy;
__attribute__((circ_interrupt(on))) void handler(void) {{ x_0 = x_0 + 1; if (busy) x_1 = 2; {calls} }}
int main(void) {{ while (1) {{ on = 0; x_0 = 3; on = 1; {calls} x_1 = 1; }} }}""")
    p = frontend.load(path, frontend.LoadOptions())
    view = Influence(p).view("x_0")
    assert view is not None and {"x_0", "on"} <= view.kept.globals and not any("state" in name for name in view.kept.globals)
    second = Influence(p).view("x_1")
    assert second is not None and "busy" in second.kept.globals
    found = {a.shown: a.verdict for a in circ.check(p, ["x_0"]).answers}
    assert isinstance(found["x_0"], Safe) and found["x_0"].certificate.kind == "quotient"
