"""C conditions that a user writes about a loaded program (`--predicate`): no side effects, names as the reports show them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from frontend.annotations.operators import Operators
from frontend.program import (
    DATA_MODELS,
    LEVEL,
    Element,
    Expr,
    FrontendError,
    Ite,
    Location,
    Program,
    Read,
    ThreadTemplate,
    Unary,
    Var,
    Variable,
    truth,
)

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+|[0-9]+)(?P<suffix>[uUlL]*)"
    r"|(?P<name>[A-Za-z_]\w*(?:#\d+)?(?:::[A-Za-z_]\w*(?:#\d+)?)*(?:\.[A-Za-z_]\w*)*)"
    r"|(?P<op>&&|\|\||<<|>>|[<>=!]=|[-+*/%&|^~!<>()?:\[\]]))")


_DEEPEST = 200


def parse_predicate(program: Program, text: str) -> tuple[tuple[str, Expr], ...]:
    """The condition as the threads of each template see it: (template, BOOL expression), for templates that have all its names.

    Raises FrontendError for what is no condition, and for a name that no thread sees.
    """
    found: list[tuple[str, Expr]] = []
    missing: FrontendError | None = None
    for template in program.templates:
        try:
            found.append((template.name, truth(_PredicateParser(program, template, text).all())))
        except _NoSuchName as error:
            missing = missing or error
    if not found:
        raise missing or FrontendError(Location(program.file, 1), f"predicate '{text}': the program has no thread",
                                       "name one with --thread F")
    return tuple(found)


class _NoSuchName(FrontendError):
    pass


class _PredicateParser:
    """Operator precedence by climbing; C's promotions and conversions are made explicit."""

    def __init__(self, program: Program, template: ThreadTemplate, text: str) -> None:
        self.program, self.text = program, text
        self.names = _visible(program, template)
        self.operators = Operators(DATA_MODELS[program.data_model])
        self.tokens: list[re.Match[str]] = []
        at = 0
        while text[at:].strip():
            token = _TOKEN.match(text, at)
            if token is None:
                raise self.error(f"unexpected '{text[at:].strip()[0]}'")
            self.tokens.append(token)
            at = token.end()
        self.at = 0
        if sum(t["op"] in ("(", "!", "-", "~", "+", "?", "[") for t in self.tokens) > _DEEPEST:
            raise self.error("it is too deeply nested")

    def error(self, what: str) -> FrontendError:
        return FrontendError(Location(self.program.file, 1), f"predicate '{self.text}': {what}",
                             "a C condition over the program's variables, without calls and assignments")

    def all(self) -> Expr:
        e = self.conditional()
        if self.at < len(self.tokens):
            raise self.error(f"unexpected '{self.tokens[self.at][0].strip()}'")
        return e

    def peek(self) -> str:
        return self.tokens[self.at]["op"] or "" if self.at < len(self.tokens) else ""

    def expect(self, op: str) -> None:
        if self.peek() != op:
            raise self.error(f"'{op}' is missing")
        self.at += 1

    def conditional(self) -> Expr:
        cond = self.binary(1)
        if self.peek() != "?":
            return cond
        self.at += 1
        then = self.conditional()
        self.expect(":")
        a, b = self.operators.balanced(then, self.conditional())
        return Ite(truth(cond), a, b)

    def binary(self, level: int) -> Expr:
        left = self.unary()
        while (mine := LEVEL.get(self.peek(), 0)) >= level:
            op = self.peek()
            self.at += 1
            left = self.operators.combined(op, left, self.binary(mine + 1))
        return left

    def unary(self) -> Expr:
        if self.at >= len(self.tokens):
            raise self.error("it ends too early")
        token = self.tokens[self.at]
        self.at += 1
        match token["op"]:
            case "(":
                inner = self.conditional()
                self.expect(")")
                return inner
            case "!":
                return Unary("!", truth(self.unary()))
            case "-" | "~" as op:
                return Unary(op, self.operators.promoted(self.unary()))
            case "+":
                return self.operators.promoted(self.unary())
            case None:
                return self.constant(token) if token["number"] else self.variable(token["name"])
            case op:
                raise self.error(f"unexpected '{op}'")

    def constant(self, token: re.Match[str]) -> Expr:
        try:
            return self.operators.constant(token["number"], token["suffix"])
        except ValueError as reason:
            raise self.error(str(reason).format(token["number"])) from None

    def variable(self, name: str) -> Expr:
        v = self.names.get(name) or self.names.get(f"{name}[]")
        if v is None:
            raise _NoSuchName(Location(self.program.file, 1), f"predicate '{self.text}': there is no variable '{name}'",
                              f"known: {', '.join(dict.fromkeys(self.names))}")
        if not v.is_array:
            return Read(Var(v.name, v.type))
        self.expect("[")
        index = self.conditional()
        self.expect("]")
        return Read(Element(v.name, index, v.type))


def _visible(program: Program, template: ThreadTemplate) -> Mapping[str, Variable]:
    """Variables by every name a user may write: full, as shown, and a local's own name where it is the only one.

    A lock is known by its name; it is 0 while nobody holds it.
    """
    known: dict[str, Variable] = {}
    for v in (*program.globals, *template.locals):
        if not v.ghost or v.object:
            known.setdefault(v.shown or v.name, v)
            known.setdefault(v.name, v)
    tails: dict[str, list[Variable]] = {}
    for v in template.locals:
        if not v.ghost:
            tails.setdefault(v.name.rpartition("::")[2], []).append(v)
    for tail, owners in tails.items():
        if len(owners) == 1:
            known.setdefault(tail, owners[0])
    return known
