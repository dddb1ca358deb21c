"""Formulas of annotations: C expressions, with primes for the state after a step, `\\tid`, `==>`, `<==>`, `\\old`, `\\result`,
and sets of threads. A set is an unsigned integer whose bit n says that thread n is in it.

What a formula reads are ordinary variables of `frontend.program.expr`: `x'` is the variable of that name, `\\tid` that of the
thread. C's promotions and conversions are made explicit; comparisons may be chained (`0 <= i < n`) as in ACSL.
"""

from __future__ import annotations

from collections.abc import Callable

from frontend.annotations.attached import PRIME, Clause, ClauseToken, tid_of
from frontend.annotations.operators import Operators
from frontend.program import (
    BOOL,
    LEVEL,
    Binary,
    Const,
    DataModel,
    Element,
    Expr,
    FrontendError,
    Ite,
    Location,
    Lvalue,
    Read,
    Unary,
    Var,
    Variable,
    reads,
    substitute,
    truth,
)
from frontend.program.fold import fold
from frontend.records import dataclass

_DEEPEST = 200


@dataclass(frozen=True, slots=True)
class NameLookup:
    """What names stand for: `find` gives a variable, a value, or None. `primes`, `old`, `result`: what else may stand here.

    `old` gives the variable that keeps the value an lvalue had on entry.
    """

    find: Callable[[str], Variable | Expr | None]
    primes: bool = False
    old: Callable[[Lvalue], Lvalue] | None = None
    result: Expr | None = None
    tid: bool = True


def primed(v: Lvalue) -> Lvalue:
    """The lvalue in the state after the step; an index is that of the state before."""
    return Var(v.name + PRIME, v.type) if isinstance(v, Var) else Element(v.array + PRIME, v.index, v.type)


def read_formula(clause: Clause, names: NameLookup, model: DataModel) -> Expr:
    """The clause's formula as a BOOL expression; raises FrontendError at the place of what is wrong in it."""
    return truth(_TwoStateParser(clause, names, model).all())


class _TwoStateParser:
    """Operator precedence by climbing."""

    def __init__(self, clause: Clause, names: NameLookup, model: DataModel) -> None:
        self.words, self.end, self.names, self.model = clause.words, clause.end, names, model
        self.operators = Operators(model)
        self.at = 0
        if sum(w.text in ("(", "!", "-", "~", "+", "?", "[", "==>") for w in self.words) > _DEEPEST:
            raise FrontendError(clause.location, "the formula is too deeply nested", "split it into several clauses")

    # ------------------------------------------------------------------------------------------- words
    @property
    def here(self) -> Location:
        return self.words[self.at].location if self.at < len(self.words) else self.end

    def peek(self) -> str:
        return self.words[self.at].text if self.at < len(self.words) and self.words[self.at].kind == "op" else ""

    def next(self) -> ClauseToken:
        if self.at >= len(self.words):
            raise FrontendError(self.end, "the formula ends too early", "an operand is missing")
        self.at += 1
        return self.words[self.at - 1]

    def expect(self, op: str) -> None:
        if self.peek() != op:
            found = f"before '{self.words[self.at].text}'" if self.at < len(self.words) else "at the end of the formula"
            raise FrontendError(self.here, f"'{op}' is missing {found}")
        self.at += 1

    def all(self) -> Expr:
        e = self.equivalence()
        if self.at < len(self.words):
            raise FrontendError(self.here, f"unexpected '{self.words[self.at].text}'", "an operator or ';' is missing before it")
        return e

    # ------------------------------------------------------------------------------------------- operators
    def equivalence(self) -> Expr:
        left = self.implication()
        while self.peek() == "<==>":
            self.at += 1
            left = Binary("==", truth(left), truth(self.implication()))
        return left

    def implication(self) -> Expr:
        left = self.conditional()
        if self.peek() != "==>":
            return left
        self.at += 1
        return Binary("||", Unary("!", truth(left)), truth(self.implication()))

    def conditional(self) -> Expr:
        cond = self.binary(1)
        if self.peek() != "?":
            return cond
        self.at += 1
        then = self.equivalence()
        self.expect(":")
        a, b = self.operators.balanced(then, self.conditional())
        return Ite(truth(cond), a, b)

    def binary(self, level: int) -> Expr:
        left = self.unary()
        chained: Expr | None = None  # the middle of `a < b < c`
        while (mine := LEVEL.get(self.peek(), 0)) >= level:
            op = self.peek()
            self.at += 1
            right = self.binary(mine + 1)
            if chained is not None and mine == LEVEL["<"]:
                left = Binary("&&", truth(left), self.operators.combined(op, chained, right))
            else:
                left = self.operators.combined(op, left, right)
            chained = right if mine == LEVEL["<"] else None
        return left

    def unary(self) -> Expr:
        word = self.next()
        match word.kind, word.text:
            case "op", "(":
                inner = self.equivalence()
                self.expect(")")
                return self.no_prime(inner)
            case "op", "!":
                return Unary("!", truth(self.unary()))
            case "op", ("-" | "~") as op:
                return fold(Unary(op, self.operators.promoted(self.unary())))
            case "op", "+":
                return self.operators.promoted(self.unary())
            case "number", _:
                return self.no_prime(self.constant(word))
            case "special", _:
                return self.special(word)
            case "name", _:
                return self.variable(word)
        raise FrontendError(word.location, f"unexpected '{word.text}'", "an operand is wanted here")

    def no_prime(self, e: Expr) -> Expr:
        if self.peek() == PRIME:
            raise FrontendError(self.here, "only a variable can have a prime", "put it behind each name")
        return e

    # ------------------------------------------------------------------------------------------- operands
    def constant(self, word: ClauseToken) -> Expr:
        digits = word.text.lower().rstrip("ul")
        try:
            return self.operators.constant(digits, word.text[len(digits):])
        except ValueError as reason:
            raise FrontendError(word.location, str(reason).format(word.text)) from None

    def variable(self, word: ClauseToken) -> Expr:
        found = self.names.find(word.text)
        if found is None:
            raise FrontendError(word.location, f"there is no variable '{word.text}' here",
                                "globals of the file, and in loops and contracts the function's own")
        if not isinstance(found, Variable):
            return self.no_prime(found)
        v: Lvalue = Var(found.name, found.type)
        if found.is_array:
            self.expect("[")
            index = self.equivalence()
            self.expect("]")
            v = Element(found.name, self.operators.promoted(index), found.type)
        return self.maybe_primed(v, word.text)

    def special(self, word: ClauseToken) -> Expr:
        match word.text:
            case "\\tid":
                if not self.names.tid:
                    raise FrontendError(word.location, "an invariant speaks of no thread",
                                        "\\tid is for assumptions, loops and contracts")
                return Read(tid_of(self.model))
            case "\\true":
                return Const(1, BOOL)
            case "\\false":
                return Const(0, BOOL)
            case "\\empty":
                return Const(0, self.operators.int)
            case "\\result":
                if self.names.result is None:
                    raise FrontendError(word.location, "there is no result here",
                                        "\\result is for the ensures of a function with a value")
                return self.names.result
            case "\\old":
                return self.old(word)
            case "\\in" | "\\add" | "\\remove":
                return self.set_operation(word)
            case "\\created" | "\\done":
                return self.lifetime(word)
        raise FrontendError(word.location, f"unknown word '{word.text}'",
                            "one of \\tid, \\old, \\result, \\in, \\add, \\remove, \\empty, \\created, \\done, \\true, \\false")

    def lifetime(self, word: ClauseToken) -> Expr:
        """`\\done(f)`: the thread that `pthread_create` made of f has ended; `\\created(f)`: it is made and has not begun."""
        self.expect("(")
        name = self.next()
        found = self.names.find(f"<{name.text} {word.text[1:]}>")
        self.expect(")")
        if not isinstance(found, Variable) or found.is_array:
            raise FrontendError(name.location, f"no single thread of '{name.text}' is created, or none is ever joined",
                                "it is for threads that are created once")
        return self.maybe_primed(Var(found.name, found.type), word.text)

    def maybe_primed(self, v: Lvalue, shown: str) -> Expr:
        if self.peek() != PRIME:
            return Read(v)
        if not self.names.primes:
            raise FrontendError(self.here, f"'{shown}{PRIME}': there is no state after a step here",
                                "primes are for assumptions and atomic ensures; \\old(x) is the value on entry")
        self.at += 1
        return Read(primed(v))

    def old(self, word: ClauseToken) -> Expr:
        keep = self.names.old
        if keep is None:
            raise FrontendError(word.location, "there is no state on entry here", "\\old is for ensures")
        self.expect("(")
        inner = self.equivalence()
        self.expect(")")
        if any(isinstance(v, Element) for v in reads(inner)):
            raise FrontendError(word.location, "\\old of an element of an array", "only scalars are remembered")
        return substitute(inner, lambda v: Read(keep(v)))

    def set_operation(self, word: ClauseToken) -> Expr:
        """Of the thread `\\tid`, or of the one that a second argument names."""
        self.expect("(")
        place = self.here
        members = self.equivalence()
        number: Expr = Read(tid_of(self.model))
        if self.peek() == ",":
            self.at += 1
            number = self.operators.promoted(self.equivalence())
        elif not self.names.tid:
            raise FrontendError(word.location, "an invariant speaks of no thread", f"name one: {word.text}(r, 1)")
        self.expect(")")
        t = members.type
        if t.signed or t == BOOL:
            raise FrontendError(place, "a set of threads is an unsigned variable", "declare it as circ_set, or unsigned long")
        bit = Binary("<<", Const(1, t), number)
        match word.text:
            case "\\in":
                return Binary("!=", Binary("&", members, bit), Const(0, t))
            case "\\add":
                return Binary("|", members, bit)
            case _:
                return Binary("&", members, Unary("~", bit))
