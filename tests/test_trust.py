"""docs/trust.md lists every folder that must be trusted, with its size, and the tests that attack it exist."""

from __future__ import annotations

import re

from tests.support.fuzz_main import PARTS
from tests.support.trusted import PAGE, ROOT, imports, lines, modules, stated, trusted


def near(a: int, b: int) -> bool:
    return abs(a - b) <= max(60, b // 20)


def test_the_numbers_are_true() -> None:
    """Within 5 %: `python -m tests.support.trusted` puts in today's."""
    rows, (total, count) = stated()
    counted = lines()
    assert rows.keys() == counted.keys()
    assert [(room, n, rows[room]) for room, n in counted.items() if not near(rows[room], n)] == []
    assert near(total, sum(counted.values())) and near(count, len(trusted()))


def test_what_attacks_it_exists() -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/.]+)`", text))
    assert named and all((ROOT / name).exists() for name in named)
    parts = set(re.findall(r"fuzz `(\w+)`", text))
    assert parts and parts <= set(PARTS)


def test_engines_are_not_trusted() -> None:
    assert not [name for name in trusted() if name.startswith(("circ.engines", "circ.inference", "circ.static", "circ.search", "circ.report"))]


def test_imports_inside_functions_count() -> None:
    known = modules()
    assert "circ.kernel.pairs" in imports(known["circ.kernel.certificate"], known)
