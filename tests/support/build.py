"""Small programs in few lines: `program("x state", thread("w", "0 1 [state == 0]; state = 1 / 1 0 x = 1", atomic={1}))`.

Variables are written `name[:type][length][=start]` with start a number, `*` (arbitrary) or `self`; the type is i32 unless said.
Edges are `source target op`, separated by `/` or lines; an op is a sequence of `[condition]`, `v = expression`, `v = *`,
`a[] = *`, `all template location ...`, separated by `;`. Expressions are Python's, with `l@1` for a local of a thread.
Accesses are all reads and writes of globals; an edge is protected if one of its ends is atomic, or its text starts with `!`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping

from frontend.program import (
    BOOL,
    COMPARISONS,
    NOWHERE,
    Access,
    AllAt,
    Arbitrary,
    Assign,
    Assume,
    Binary,
    Block,
    Cast,
    Cfa,
    Const,
    Edge,
    Element,
    ErrorKind,
    ErrorLocation,
    Expr,
    Havoc,
    Invariant,
    Ite,
    Lvalue,
    Op,
    Program,
    Read,
    Scalar,
    Self,
    Start,
    ThreadTemplate,
    Unary,
    Values,
    Var,
    Variable,
    name_of,
    op_reads,
    primitive,
)

INT = Scalar(32, True)
Scope = Mapping[str, Variable]

_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%", ast.BitAnd: "&", ast.BitOr: "|",
           ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"}
_COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_UNARY = {ast.USub: "-", ast.Invert: "~", ast.Not: "!"}
_VARIABLE = re.compile(r"(?P<name>[\w.]+)(?::(?P<type>[iu]\d+))?(?:\[(?P<length>\d+)\])?(?:=(?P<start>.+))?")


def variable(text: str) -> Variable:
    m = _VARIABLE.fullmatch(text)
    assert m is not None, text
    t = Scalar(int(m["type"][1:]), m["type"][0] == "i") if m["type"] else INT
    start: Start
    match m["start"]:
        case None:
            start = Values()
        case "*":
            start = Arbitrary()
        case "self":
            start = Self()
        case number:
            start = Values(int(number))
    return Variable(m["name"], t, int(m["length"]) if m["length"] else None, start)


def expr(text: str, scope: Scope, hint: Scalar | None = None) -> Expr:
    return _expr(ast.parse(text.strip(), mode="eval").body, scope, hint)


def _expr(e: ast.expr, scope: Scope, hint: Scalar | None) -> Expr:
    match e:
        case ast.Constant(value=int(v)):
            t = hint or INT
            return Const(t.wrap(v), t)
        case ast.Name() | ast.Subscript() | ast.BinOp(op=ast.MatMult()):
            return Read(_lvalue(e, scope))
        case ast.UnaryOp(op=op, operand=a):
            return Unary(_UNARY[type(op)], _expr(a, scope, hint))
        case ast.BoolOp(op=op, values=vs):
            parts = [_expr(v, scope, None) for v in vs]
            result = parts[0]
            for p in parts[1:]:
                result = Binary("&&" if isinstance(op, ast.And) else "||", result, p)
            return result
        case ast.Compare(left=a, ops=[op], comparators=[b]):
            return Binary(_COMPARE[type(op)], *_same(a, b, scope, None))
        case ast.BinOp(left=a, op=op, right=b):
            return Binary(_BINARY[type(op)], *_same(a, b, scope, hint))
        case ast.IfExp(test=c, body=a, orelse=b):
            return Ite(_expr(c, scope, None), *_same(a, b, scope, hint))
    raise AssertionError(ast.dump(e))


def _same(a: ast.expr, b: ast.expr, scope: Scope, hint: Scalar | None) -> tuple[Expr, Expr]:
    if isinstance(a, ast.Constant):
        right = _expr(b, scope, hint)
        return _expr(a, scope, right.type), right
    left = _expr(a, scope, hint)
    right = _expr(b, scope, left.type)
    return left, right if right.type == left.type else Cast(right, left.type)


def _lvalue(e: ast.expr, scope: Scope) -> Lvalue:
    match e:
        case ast.Name(id=n):
            return Var(n, scope[n].type)
        case ast.BinOp(left=ast.Name(id=n), op=ast.MatMult(), right=ast.Constant(value=int(slot))):
            return Var(f"{n}@{slot}", scope[f"{n}@{slot}"].type)
        case ast.Subscript(value=a, slice=i):
            array = _lvalue(a, scope)
            return Element(name_of(array), _expr(i, scope, INT), array.type)
    raise AssertionError(ast.dump(e))


def condition(text: str, scope: Scope) -> Expr:
    e = expr(text, scope)
    return e if e.type == BOOL or (isinstance(e, Binary) and e.op in COMPARISONS) else Binary("!=", e, Const(0, e.type))


def op(text: str, scope: Scope) -> Op:
    ops: list[Op] = []
    for part in filter(None, map(str.strip, text.split(";"))):
        if part == "skip":
            continue
        if part.startswith("["):
            ops.append(Assume(condition(part[1:-1], scope)))
        elif part.startswith("all "):
            _, name, *locations = part.split()
            ops.append(AllAt(name, frozenset(map(int, locations))))
        else:
            target, _, value = (s.strip() for s in part.partition("="))
            if target.endswith("[]"):
                ops.append(Havoc((), (target[:-2],)))
                continue
            v = _lvalue(ast.parse(target, mode="eval").body, scope)
            ops.append(Havoc((v,)) if value == "*" else Assign(v, _fit(expr(value, scope, v.type), v.type)))
    return ops[0] if len(ops) == 1 else Block(tuple(ops))


def _fit(e: Expr, t: Scalar) -> Expr:
    return e if e.type == t else Cast(e, t)


def _targets(o: Op) -> Iterable[tuple[Lvalue, bool]]:
    for part in primitive(o):
        match part:
            case Assign(target=t):
                yield t, False
            case Havoc(targets=ts, whole=ws):
                yield from ((t, False) for t in ts)
                yield from ((Var(w, INT), True) for w in ws)


class Thread:
    """A template before the globals are known."""

    def __init__(self, name: str, edges: str, locals: str = "", count: int | None = None, atomic: Iterable[int] = (),
                 critical: Iterable[int] = (), errors: Iterable[int] = (), start: int = 0) -> None:
        self.name, self.count, self.start = name, count, start
        self.lines = [line.strip() for line in re.split(r"[/\n]", edges) if line.strip()]
        self.locals = tuple(map(variable, locals.split()))
        self.atomic, self.critical, self.errors = frozenset(atomic), frozenset(critical), tuple(errors)

    def template(self, globals_: tuple[Variable, ...]) -> ThreadTemplate:
        scope = {v.name: v for v in (*globals_, *self.locals)}
        shared = {v.name for v in globals_}
        edges = []
        for line in self.lines:
            source, target, *rest = line.removeprefix("!").split(None, 2)
            q, r = int(source), int(target)
            o = op(rest[0] if rest else "", scope)
            accesses = [Access(v, False) for v in dict.fromkeys(op_reads(o)) if name_of(v) in shared]
            accesses += [Access(v, True, whole=w) for v, w in _targets(o) if name_of(v) in shared]
            edges.append(Edge(q, r, o, tuple(accesses), line.startswith("!") or bool({q, r} & self.atomic)))
        size = 1 + max((q for e in edges for q in (e.source, e.target)), default=0)
        errors = {q: ErrorLocation(ErrorKind.ASSERT, NOWHERE, "assert") for q in self.errors}
        return ThreadTemplate(self.name, Cfa(size, self.start, tuple(edges), self.atomic, errors, self.critical),
                              self.locals, self.count)


thread = Thread


def program(globals: str, *threads: Thread, ints: str = "exact", race_model: str = "nesc",
            invariants: Iterable[str] = ()) -> Program:
    variables = tuple(map(variable, globals.split()))
    scope = {v.name: v for v in variables}
    return Program("test.c", variables, tuple(t.template(variables) for t in threads), ints=ints, race_model=race_model,
                   invariants=tuple(Invariant(condition(i, scope), NOWHERE, i) for i in invariants))
