"""Our own mistake in lowering a function: what it says is lost, nothing else, and nothing is proved by that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pycparser import c_ast

import circ
import circ.cli
from circ.run.check import judge_within
from circ.run.supervise import Limits
from circ.verdict import Refuted, Safe, Unknown
from frontend import LoadOptions, load
from frontend.lower.called.not_modelled import RAISE_MISTAKES
from frontend.lower.expressions import Expressions
from frontend.lower.statements import Statements

PROGRAM = """
#include <pthread.h>
int safe, racy, hidden;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void odd(int *p)
{
    int broken = 1;
    switch (broken) { default: hidden = broken; }
    *p = 2;
}
void *work(void *arg)
{
    pthread_mutex_lock(&m); safe++; pthread_mutex_unlock(&m);
    racy++;
    odd(&hidden);
    return 0;
}
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); return 0; }
"""


@pytest.fixture(autouse=True)
def as_for_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RAISE_MISTAKES, raising=False)


def break_at(monkeypatch: pytest.MonkeyPatch, owner: type, method: str, kind: type) -> None:
    """Lowering a node of this kind in `odd` fails as our own mistakes do."""
    real = getattr(owner, method)

    def failing(self: Any, node: c_ast.Node, *rest: Any) -> Any:
        if isinstance(node, kind) and node.coord.line in (7, 8):
            raise IndexError(object())
        return real(self, node, *rest)

    monkeypatch.setattr(owner, method, failing)


@pytest.mark.parametrize(("owner", "method", "kind", "line"), [
    (Expressions, "effect", c_ast.Assignment, "8:"), (Statements, "_switch", c_ast.Switch, "5:6")])
def test_a_mistake_in_one_function_costs_proofs_and_no_races(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: type,
                                                             method: str, kind: type, line: str) -> None:
    (tmp_path / "a.c").write_text(PROGRAM)
    sound = load(tmp_path / "a.c", LoadOptions())
    proof = next(a.verdict for a in circ.check(sound, ["safe"]).answers)
    assert isinstance(proof, Safe)
    break_at(monkeypatch, owner, method, kind)
    program = load(tmp_path / "a.c", LoadOptions())
    [mistake] = [a for a in program.assumptions if a.mistake]
    assert mistake.text.startswith("internal error in reading 'odd' (IndexError at ") and "object at" not in mistake.text
    assert f"a.c:{line}" in str(mistake)
    verdicts = {a.shown: a.verdict for a in circ.check(program, limits=Limits(timeout=15)).answers}
    assert isinstance(verdicts["racy"], Refuted)
    assert isinstance(verdicts["safe"], Unknown) and verdicts["safe"].bug and "internal error" in verdicts["safe"].reason
    assert not any(isinstance(v, Safe) for v in verdicts.values())
    judged = judge_within(program, proof.certificate, Limits())
    assert "internal error in reading 'odd'" in str(judged)


def test_a_scan_goes_on_and_ends_in_status_4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.c").write_text(PROGRAM)
    break_at(monkeypatch, Statements, "_switch", c_ast.Switch)
    with pytest.raises(SystemExit) as end:
        circ.cli.main(["scan", "--no-cache", "--timeout", "15", str(tmp_path / "a.c"), "--format", "csv"])
    out, err = capfd.readouterr()
    assert end.value.code == 4 and ",racy,race," in out and ",safe,unknown," in out
    assert "circ: internal error: " in err and "odd" in err


def test_tests_are_told_where_the_mistake_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.c").write_text(PROGRAM)
    break_at(monkeypatch, Expressions, "effect", c_ast.Assignment)
    monkeypatch.setenv(RAISE_MISTAKES, "1")
    with pytest.raises(IndexError):
        load(tmp_path / "a.c", LoadOptions())
