"""The integer expressions of `#if` and `#elif`, in C's 64-bit signed and unsigned arithmetic."""

from __future__ import annotations

import re
from collections.abc import Sequence

from frontend.program import MAX_NESTING, FrontendError
from frontend.records import dataclass
from frontend.text.tokens import Token, character_codes

_NUMBER = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9][0-9']*)([uUlLzZ]*)")
_PRECEDENCE = {
    "*": 10, "/": 10, "%": 10, "+": 9, "-": 9, "<<": 8, ">>": 8, "<": 7, ">": 7, "<=": 7, ">=": 7, "==": 6, "!=": 6,
    "&": 5, "^": 4, "|": 3, "&&": 2, "||": 1,
}
_CHARACTERS = ("CHAR_CONST", "INT_CONST_CHAR", "WCHAR_CONST", "U8CHAR_CONST", "U16CHAR_CONST", "U32CHAR_CONST")
_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class _ConditionValue:
    value: int
    unsigned: bool = False

    @staticmethod
    def of(value: int, unsigned: bool) -> _ConditionValue:
        value &= _MASK
        return _ConditionValue(value if unsigned or value <= _MASK >> 1 else value - (1 << 64), unsigned)


class Condition:
    """A macro-expanded condition, `defined` and its like replaced by numbers already; unknown names are 0."""

    def __init__(self, tokens: Sequence[Token], directive: Token, signed_chars: bool = True) -> None:
        self._tokens = tokens
        self._directive = directive
        self._signed_chars = signed_chars
        self._pos = 0

    def holds(self) -> bool:
        """The truth of the expression; raises FrontendError if it is none."""
        if not self._tokens:
            raise FrontendError(self._directive.location, f"#{self._directive.value} without an expression", "give a condition")
        if sum(t.value in ("(", "?") for t in self._tokens) > MAX_NESTING:
            raise FrontendError(self._directive.location, f"the expression of #{self._directive.value} is too deep", "split it")
        value = self._ternary(True)
        if self._pos < len(self._tokens):
            raise self._error(self._tokens[self._pos])
        return value.value != 0

    def _error(self, token: Token | None) -> FrontendError:
        if token is None:
            return FrontendError(self._directive.location, f"the expression of #{self._directive.value} is not complete",
                                 "a value is missing at its end")
        return FrontendError(token.location, f"'{token.value}' does not fit in the expression of #{self._directive.value}",
                             "it takes integers, defined(...) and C's operators")

    def _peek(self) -> str:
        return self._tokens[self._pos].value if self._pos < len(self._tokens) else ""

    def _expect(self, value: str) -> None:
        if self._peek() != value:
            raise self._error(self._tokens[self._pos] if self._pos < len(self._tokens) else None)
        self._pos += 1

    def _ternary(self, live: bool) -> _ConditionValue:
        """`live`: whether the value counts; a division by zero does no harm where it does not."""
        condition = self._binary(1, live)
        if self._peek() != "?":
            return condition
        self._pos += 1
        yes = self._ternary(live and condition.value != 0)
        self._expect(":")
        no = self._ternary(live and condition.value == 0)
        chosen = yes if condition.value else no
        return _ConditionValue.of(chosen.value, yes.unsigned or no.unsigned)

    def _binary(self, least: int, live: bool) -> _ConditionValue:
        left = self._unary(live)
        while (level := _PRECEDENCE.get(op := self._peek(), 0)) >= least:
            token = self._tokens[self._pos]
            self._pos += 1
            needed = live and not ((op == "&&" and left.value == 0) or (op == "||" and left.value != 0))
            right = self._binary(level + 1, needed)
            left = self._apply(op, left, right, token, needed)
        return left

    def _apply(self, op: str, a: _ConditionValue, b: _ConditionValue, token: Token, live: bool) -> _ConditionValue:
        if op == "&&":
            return _ConditionValue(int(a.value != 0 and b.value != 0))
        if op == "||":
            return _ConditionValue(int(a.value != 0 or b.value != 0))
        unsigned = a.unsigned or b.unsigned
        x, y = _ConditionValue.of(a.value, unsigned).value, _ConditionValue.of(b.value, unsigned).value
        match op:
            case "<<" | ">>":
                by = b.value if b.value >= 0 else -b.value
                leftwards = (op == "<<") == (b.value >= 0)
                return _ConditionValue.of(a.value << min(by, 64) if leftwards else a.value >> min(by, 64), a.unsigned)
            case "/" | "%":
                if y == 0:
                    if live:
                        raise FrontendError(token.location, f"division by zero in #{self._directive.value}", "guard it with &&")
                    return _ConditionValue(0, unsigned)
                quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
                return _ConditionValue.of(quotient if op == "/" else x - y * quotient, unsigned)
            case "<":
                return _ConditionValue(int(x < y))
            case ">":
                return _ConditionValue(int(x > y))
            case "<=":
                return _ConditionValue(int(x <= y))
            case ">=":
                return _ConditionValue(int(x >= y))
            case "==":
                return _ConditionValue(int(x == y))
            case "!=":
                return _ConditionValue(int(x != y))
        result = {"*": x * y, "+": x + y, "-": x - y, "&": x & y, "^": x ^ y, "|": x | y}[op]
        return _ConditionValue.of(result, unsigned)

    def _unary(self, live: bool) -> _ConditionValue:
        signs: list[str] = []
        while self._peek() in ("!", "~", "-", "+"):
            signs.append(self._peek())
            self._pos += 1
        value = self._primary(live)
        for sign in reversed(signs):
            if sign == "!":
                value = _ConditionValue(int(value.value == 0))
            elif sign == "~":
                value = _ConditionValue.of(~value.value, value.unsigned)
            elif sign == "-":
                value = _ConditionValue.of(-value.value, value.unsigned)
        return value

    def _primary(self, live: bool) -> _ConditionValue:
        if self._pos >= len(self._tokens):
            raise self._error(None)
        token = self._tokens[self._pos]
        self._pos += 1
        if token.type == "LPAREN":
            value = self._ternary(live)
            self._expect(")")
            return value
        if token.type == "ID":
            return _ConditionValue(0)
        if token.type == "NUMBER" and (m := _NUMBER.fullmatch(token.value)):
            digits = m[1].replace("'", "")
            octal = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
            try:
                number = int(digits, 8 if octal else 0)
            except ValueError:
                raise self._error(token) from None
            return _ConditionValue.of(number, "u" in m[2].lower() or number > _MASK >> 1)
        if token.type in _CHARACTERS:
            return _character(token, self._signed_chars)
        raise self._error(token)


def _character(token: Token, signed_chars: bool) -> _ConditionValue:
    """The value of a character constant; several characters pack as gcc packs them, into an `int`."""
    prefix, _, body = token.value.partition("'")
    wide = prefix in ("L", "u", "U")
    codes = character_codes(body[:-1], wide, token.location)
    value, bits = 0, 32 if wide or len(codes) > 1 else 8
    for code in codes:
        value = code if wide else value << 8 | code & 0xFF
    value &= (1 << bits) - 1
    signed = prefix == "L" or (not prefix and (signed_chars or len(codes) > 1))
    return _ConditionValue.of(value - (value >> bits - 1 << bits) if signed else value, not signed)
