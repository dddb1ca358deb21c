"""`__attribute__((cleanup))`: the function is called however control leaves the scope, innermost variable first."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.run.check import check
from circ.verdict import word
from frontend import LoadOptions, load
from frontend.program import FrontendError

LOG = """#include <assert.h>
int log_;
static void one(int *p) { log_ = log_ * 10 + *p; }
#define V __attribute__((cleanup(one)))
"""


def asserts(tmp_path: Path, text: str) -> str:
    path = tmp_path / "p.c"
    path.write_text(LOG + text)
    (answer,) = check(load(path), prop="asserts").answers
    return word(answer.question, answer.verdict)


@pytest.mark.parametrize(("body", "log"), [
    ("{ int a V = 1; int b V = 2; log_ = 9; }", 921),
    ("{ int a V = 1; { int b V = 2; a = 3; } a = 4; }", 24),
    ("{ V int a = 1, b = 2; }", 21),
    ("for (int a V = 1, t = 2; t; t--) log_ += t;", 31),
    ("for (int i = 0; i < 3; i++) { int a V = i + 1; if (i == 1) break; }", 12),
    ("for (int i = 0; i < 2; i++) { int a V = i + 1; if (i == 0) continue; int b V = 7; }", 172),
    ("for (int i = 0; i < 2; i++) { { int a V = 5; goto out; } log_ = 9; } out: log_ += 1;", 6),
    ("{ int a V = 1; again: if (log_ == 0) { int b V = 2; log_ = 3; goto again; } }", 321),
    ("switch (1) { case 1: { int a V = 4; break; } default: log_ = 8; }", 4),
    ("int r = ({ int a V = 3; a + 1; }); log_ = log_ * 10 + r;", 34),
    ("{ int a V = 1; { void (*one)(int *) = 0; int a = 2; (void)one; (void)a; goto end; } } end: ;", 1),
    ("{ static int a V = 1; a = 2; }", 0),
])
def test_scopes(body: str, log: int, tmp_path: Path) -> None:
    assert asserts(tmp_path, f"int main(void) {{ {body} assert(log_ == {log}); return 0; }}") == "safe"


def test_a_value_is_returned_before_the_cleanup(tmp_path: Path) -> None:
    text = "static int f(void) { int a V = 6; { int b V = 7; return a + log_; } }\n"
    assert asserts(tmp_path, text + "int main(void) { assert(f() == 6 && log_ == 76); return 0; }") == "safe"


@pytest.mark.parametrize("body", [
    "goto in; { int a V = 1; in: a = 2; }",
    "switch (log_) { case 0: ; int a V = 1; case 1: a = 2; }",
    "for (V int a = 1; a; a = 0) ;",
])
def test_scopes_that_are_entered_in_the_middle_are_refused(body: str, tmp_path: Path) -> None:
    with pytest.raises(FrontendError, match="cleanup"):
        asserts(tmp_path, f"int main(void) {{ {body} return 0; }}")


ATOMIC = """#include <util/atomic.h>
volatile unsigned char q; int a, b, c, d, e;
ISR(__vector_13) { a = 1; b = 1; c = 1; d = 1; e = 1; }
static void force(void) { ATOMIC_BLOCK(ATOMIC_FORCEON) { a = 2; return; } }
static int get(void) { ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { return c; } return 0; }
int main(void) {
    sei();
    for (int i = 0; i < 3; i++) {
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { a = 2; if (q) break; a = 3; if (q) continue; a = 4; }
        b = 7;
    }
    cli(); c = 3; get(); c = 4;
    force(); d = 5;
    cli(); NONATOMIC_BLOCK(NONATOMIC_RESTORESTATE) { if (q) break; } e = 1; NONATOMIC_BLOCK(NONATOMIC_FORCEOFF) { e = 2; }
    for (;;) ;
}
"""


@pytest.mark.parametrize("model", ["lp64", "ip16"])
def test_blocks_of_avr_libc(model: str, tmp_path: Path) -> None:
    """`break` and `continue` leave the block only, every way out restores or forces the state."""
    path = tmp_path / "p.c"
    path.write_text(ATOMIC)
    found = {a.shown: word(a.question, a.verdict) for a in check(load(path, LoadOptions(data_model=model)), list("abcde")).answers}
    assert found == {"a": "safe", "b": "race", "c": "safe", "d": "race", "e": "race"}
