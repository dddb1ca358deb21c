"""`frontend.annotations.predicate`: C conditions over a program's variables, with C's precedence, promotions and conversions."""

from __future__ import annotations

import pytest

from frontend.annotations.predicate import parse_predicate
from frontend.program import Cfa, FrontendError, Program, Scalar, ThreadTemplate, Variable
from frontend.program.exact import show_exact

I32, U8, U32, I64 = Scalar(32, True), Scalar(8, False), Scalar(32, False), Scalar(64, True)


def program(model: str = "lp64") -> Program:
    shared = (Variable("x", I32), Variable("u", U32), Variable("c", U8), Variable("l", I64), Variable("a", I32, 4, shown="a[]"),
              Variable("s.f", I32, shown="s.f"), Variable("<ghost>", I32, ghost=True))
    one = ThreadTemplate("one", Cfa(1, 0, ()), (Variable("f::old", I32), Variable("f::i", I32), Variable("g::i", I32)))
    two = ThreadTemplate("two", Cfa(1, 0, ()), (Variable("h::k", I32),))
    return Program("a.c", shared, (one, two), data_model=model)


@pytest.mark.parametrize(("text", "exact"), [
    ("x == 0", "(== x:i32 0:i32)"),
    ("x", "(!= x:i32 0:i32)"),
    ("x + 1 < 2 * x", "(< (+ x:i32 1:i32) (* 2:i32 x:i32))"),
    ("x - 1 - 2 == 3", "(== (- (- x:i32 1:i32) 2:i32) 3:i32)"),
    ("x == 1 || x == 2 && !c", "(|| (== x:i32 1:i32) (&& (== x:i32 2:i32) (! (!= c:u8 0:u8))))"),
    ("c + c > 0xff", "(> (+ (cast i32 c:u8) (cast i32 c:u8)) 255:i32)"),
    ("u > -1", "(> u:u32 (cast u32 (- 1:i32)))"),
    ("l == x", "(== l:i64 (cast i64 x:i32))"),
    ("(x == 1) + 1 == 2", "(== (+ (cast i32 (== x:i32 1:i32)) 1:i32) 2:i32)"),
    ("a[x + 1] != s.f", "(!= a[(+ x:i32 1:i32)]:i32 s.f:i32)"),
    ("x << 2 == 010u", "(== (cast u32 (<< x:i32 2:i32)) 8:u32)"),
    ("x ? u : c", "(!= (ite (!= x:i32 0:i32) u:u32 (cast u32 (cast i32 c:u8))) 0:u32)"),
])
def test_meaning(text: str, exact: str) -> None:
    assert [(t, show_exact(e)) for t, e in parse_predicate(program(), text)] == [("one", exact), ("two", exact)]


def test_sixteen_bit_int() -> None:
    [(_, e), _] = parse_predicate(program("ip16"), "c + 1 == 40000")
    assert show_exact(e) == "(== (cast i32 (+ (cast i16 c:u8) 1:i16)) 40000:i32)"


def test_locals_are_seen_by_their_own_template() -> None:
    assert [t for t, _ in parse_predicate(program(), "old == x")] == ["one"]
    assert [t for t, _ in parse_predicate(program(), "g::i == 0")] == ["one"]
    assert [t for t, _ in parse_predicate(program(), "h::k == 0")] == ["two"]


@pytest.mark.parametrize("text", [
    "", "x ==", "nosuch", "x = 1", "f(x)", "x == 0)", "(x", "a", "a[1", "x ? 1", "i == 0", "<ghost>", "08", "x $ 1", "1.5", "x++",
    "(" * 5000 + "x" + ")" * 5000, "99999999999999999999", "'a'",
])
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(FrontendError, match="predicate"):
        parse_predicate(program(), text)
