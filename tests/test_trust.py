"""docs/trust.md lists every folder that must be trusted, with its size, and the tests that attack it exist."""

from __future__ import annotations

import re

from circ import engines
from circ.kernel.certificate import Refused, check_certificate
from circ.verdict import Assertions, Certificate
from frontend.program import Program
from tests.support.fuzz_main import PARTS
from tests.support.trusted import PAGE, ROOT, SAFE, found, imports, modules, stated, trusted


def near(a: int, b: int) -> bool:
    return abs(a - b) <= max(60, b // 20)


def test_the_numbers_are_true() -> None:
    """Within 5 %: `python -m tests.support.trusted` puts in today's."""
    (rows, totals), (counted, sums) = stated(), found()
    assert rows.keys() == counted.keys()
    assert [(room, n, rows[room]) for room, n in counted.items() if not all(map(near, rows[room], n))] == []
    assert all(map(near, totals, sums))


def test_what_attacks_it_exists() -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/.]+)`", text))
    assert named and all((ROOT / name).exists() for name in named)
    parts = set(re.findall(r"fuzz `(\w+)`", text))
    assert parts and parts <= set(PARTS)


def test_engines_are_not_trusted() -> None:
    assert not [name for name in trusted() if name.startswith(("circ.engines", "circ.inference", "circ.static", "circ.search", "circ.report"))]


def test_who_looks_for_facts_is_not_trusted() -> None:
    """Finders are handed in from outside, so that what they find has no other way than through the checkers."""
    assert not [name for name in trusted() if name.startswith("frontend.finders")]
    assert [name for name in modules() if name.startswith("frontend.finders")]


def test_imports_inside_functions_count() -> None:
    known = modules()
    assert "circ.kernel.pairs" in imports(known["circ.kernel.certificate"], known)


def test_a_safe_of_auto_rests_on_the_kinds_that_it_emits() -> None:
    """What it needs does not reach what reads annotations, checks other kinds, or runs; and other kinds are not taken."""
    reached = trusted(SAFE)
    assert not {"frontend.annotated", "frontend.annotations.contracts", "frontend.annotations.two_state",
                "frontend.threads.procedures"} & reached.keys()
    assert not [name for name in reached if name.startswith(("circ.kernel.finite", "circ.kernel.guarantee", "circ.kernel.ownership", "circ.kernel.replay"))]
    auto = engines.find("auto")
    assert auto is not None and auto.core
    program = Program("none", (), ())
    for kind in ("inductive", "exceptions", "summaries", "assume-guarantee", "ownership", "watched"):
        proof = Certificate(program.fingerprint(), Assertions(), kind, {})
        assert isinstance(refused := check_certificate(program, Assertions(), proof), Refused) and "no certificate kind" in str(refused)
