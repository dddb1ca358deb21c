"""C's operators on typed expressions: promotions, the usual conversions and the types of constants, made explicit.

For conditions that are written about a program whose variables have their types already (`--predicate`, annotations).
"""

from __future__ import annotations

from frontend.program import BOOL, LOGICAL, Binary, Cast, Const, DataModel, Expr, Scalar, truth


class Operators:
    """The operators of one data model."""

    def __init__(self, model: DataModel) -> None:
        self.model = model
        self.int = Scalar(8 * model.int_size, True)

    def promoted(self, e: Expr) -> Expr:
        """C's integer promotion."""
        narrow = e.type == BOOL or e.type.width < self.int.width
        return Cast(e, self.int) if narrow else e

    def balanced(self, a: Expr, b: Expr) -> tuple[Expr, Expr]:
        """C's usual arithmetic conversions."""
        a, b = self.promoted(a), self.promoted(b)
        width = max(a.type.width, b.type.width)
        t = Scalar(width, all(e.type.signed or e.type.width < width for e in (a, b)))
        return _cast(a, t), _cast(b, t)

    def combined(self, op: str, a: Expr, b: Expr) -> Expr:
        """A binary operator between operands of any types."""
        if op in LOGICAL:
            return Binary(op, truth(a), truth(b))
        if op in ("<<", ">>"):
            return Binary(op, self.promoted(a), self.promoted(b))
        return Binary(op, *self.balanced(a, b))

    def constant(self, digits: str, suffix: str) -> Const:
        """An integer constant with C's type for it; a ValueError says what is wrong with it, `{}` standing for the constant."""
        digits, suffix = digits.lower(), suffix.lower()
        hexadecimal, octal = digits.startswith("0x"), digits.startswith("0") and digits.isdecimal()
        if octal and set(digits) & {"8", "9"}:
            raise ValueError("{} is no octal number")
        value = int(digits, 8) if octal else int(digits, 0)
        sizes = [self.model.int_size, self.model.long_size, self.model.long_long_size][min(suffix.count("l"), 2):]
        signs = [False] if "u" in suffix else [True, False] if hexadecimal or octal else [True]
        for t in (Scalar(8 * size, signed) for size in sizes for signed in signs):
            if value <= t.high:
                return Const(value, t)
        raise ValueError("the number {} is too large")


def _cast(e: Expr, t: Scalar) -> Expr:
    if e.type == t:
        return e
    return Const(t.wrap(e.value), t) if isinstance(e, Const) else Cast(e, t)
