"""`--property atomicity` from the command line: verdicts, reports, proofs and runs as files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from circ.cli import app

LOCKED = """
#include <pthread.h>
pthread_mutex_t m;
int balance;
void *worker(void *arg) {{
    pthread_mutex_lock(&m);
    int old = balance;
    {between}
    balance = old + 1;
    pthread_mutex_unlock(&m);
    return 0;
}}
int main(void) {{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}}
"""
OPENED = "pthread_mutex_unlock(&m); pthread_mutex_lock(&m);"


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.output


@pytest.mark.parametrize(("between", "status", "said", "judge"), [
    ("", 0, "safe: the accesses to 'balance' are serialisable", "recheck"),
    (OPENED, 1, "warning: atomicity of 'balance' violated: thread", "replay"),
])
def test_a_lock_that_is_let_go_in_between(tmp_path: Path, between: str, status: int, said: str, judge: str) -> None:
    file = tmp_path / "a.c"
    file.write_text(LOCKED.format(between=between))
    assert run("check", str(file))[0] == 0, "each access is protected: there is no race"
    code, text = run("check", "--property", "atomicity", "--certificate", str(tmp_path / "c"), str(file))
    assert code == status and said in text, text
    [evidence] = (tmp_path / "c").iterdir()
    code, text = run(judge, str(evidence), str(file))
    assert code == 0 and said.split(":")[-1].split(" thread")[0].strip() in text, text
    other = tmp_path / "b.c"
    other.write_text(LOCKED.format(between=OPENED if not between else ""))
    assert run(judge, str(evidence), str(other))[0] == 1


def test_json_says_which_property(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(LOCKED.format(between=OPENED))
    _, text = run("check", "--property", "atomicity", "--format", "json", str(file))
    [answer] = json.loads(text)["files"][0]["answers"]
    assert (answer["property"], answer["variable"], answer["verdict"]) == ("atomicity", "balance", "violated")
    assert "and in between thread" in answer["trace"]["failure"]["text"]
    assert answer["trace"]["steps"][-1]["text"].startswith("balance = old + 1")
