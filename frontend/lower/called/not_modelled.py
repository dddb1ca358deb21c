"""C that is read but not modelled: the statement that it is in may do anything to what it mentions; all others are as written.

A part of the lowering that meets such C raises `NotModelled`. The innermost statement (or condition) around it is noted, the
function is lowered again, and the statement then stands for: every call in it that can be lowered, then a function without a
body that is given the address of every object that the statement mentions, every pointer, and every function. What the
statement assigns is arbitrary afterwards. That is said with each verdict of the program.
"""

from __future__ import annotations

import copy
import os
import traceback
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeAlias

from pycparser import c_ast

from frontend.ctypes import ArrayType, FloatType, FunctionType, PointerType, RecordType, VoidType
from frontend.ctypes.scope import FunctionName, MemoryName, RegisterName
from frontend.ir import Address, Call, Forget, Place, Store
from frontend.lower.lowering import Lowering
from frontend.lower.operands import Designated, InMemory, InRegister
from frontend.program import (
    BOOL,
    OWN_MISTAKE,
    Expr,
    FrontendError,
    Location,
    LoweringFailed,
    NotModelled,
    Read,
    Scalar,
    Var,
)
from frontend.text.keywords import NOT_MODELLED
from frontend.text.side_effects import effects, walk

NOT_TRACKED = "what this statement computes is not modelled"

Attempt: TypeAlias = Callable[[c_ast.Node, Callable[[], None], Callable[[], None]], None]
"""Lower a node by the first function, or do the second if it is known not to be modelled."""


class StatementNotModelled(Exception):
    """A statement or condition cannot be lowered."""

    def __init__(self, node: c_ast.Node, error: NotModelled) -> None:
        super().__init__(str(error))
        self.node = node
        self.error = error


RAISE_MISTAKES = "CIRC_RAISE_MISTAKES"


def lowering_failed(error: Exception, where: Location) -> LoweringFailed:
    """An exception that lowering a statement should not raise, by where it was raised: texts of exceptions are not for users.

    With `CIRC_RAISE_MISTAKES` in the environment it is raised: a test does not take what is left for an answer.
    """
    if os.environ.get(RAISE_MISTAKES) and not isinstance(error, RecursionError):
        raise error
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = " < ".join(f"{os.path.basename(f.filename)}:{f.lineno}" for f in reversed(frames))
    return LoweringFailed(where, f"{type(error).__name__} at {places}")


def not_modelled(function: str, error: FrontendError) -> str:
    """What is assumed of a statement that is not modelled."""
    if isinstance(error, LoweringFailed):
        return f"{OWN_MISTAKE} in reading '{function}' ({error.message}): what is done here is not known"
    return (f"in '{function}' {error.message}: the statement changes only what it mentions and that leads to, leaves locks as "
            "they are, starts no thread and jumps nowhere")


def without_initialiser(node: c_ast.Decl | c_ast.Typedef) -> c_ast.Decl | c_ast.Typedef:
    """The same declaration, of an object that begins with any value."""
    if isinstance(node, c_ast.Typedef) or node.init is None:
        return node
    made = copy.copy(node)
    made.init = None
    return made


def without_statements(function: c_ast.FuncDef) -> c_ast.FuncDef:
    """The function with a body that may do anything to what its own mentions."""
    where = function.decl.coord
    texts = ("the body could not be read", *sorted(effects(function.body).mentioned))
    words = c_ast.ExprList([c_ast.Constant("string", f'"{text}"', where) for text in texts], where)
    call = c_ast.FuncCall(c_ast.ID(NOT_MODELLED, where), words, where)
    return c_ast.FuncDef(function.decl, function.param_decls, c_ast.Compound([call], where), function.coord)


class UnknownEffects:
    """Puts out what stands for syntax that is not modelled."""

    def __init__(self, x: Lowering, attempt: Attempt) -> None:
        self._x = x
        self._attempt = attempt

    def of(self, node: c_ast.Node, result: Designated | None = None) -> None:
        """The calls in a statement, then any change of what it mentions; `result` gets any value."""
        self._calls(node)
        found = effects(node)
        assigned = set(found.assigned) | ({node.name} if isinstance(node, c_ast.Decl) else set())
        self.on(sorted(found.mentioned | assigned), assigned, node)
        self._lose(result, node)

    def _lose(self, result: Designated | None, node: c_ast.Node) -> None:
        match result:
            case InRegister(var=var):
                self._x.emit(Forget((var,), NOT_TRACKED, pointer=True), node)
            case InMemory(place=place):
                self._hand_over([self._address(place, node)], node)

    def of_body(self, texts: list[str], node: c_ast.Node, result: Designated | None) -> None:
        """A whole body that could not be read: why, and the names in it."""
        why, *names = texts
        where = self._x.unit.where(node)
        self._x.unit.assume(not_modelled(self._x.scope.owner, FrontendError(where, why)), where)
        self.on(names, names, node)
        self._lose(result, node)

    def value(self, node: c_ast.Node, scalar: Scalar) -> Expr:
        """Any value, after any change of what an expression mentions."""
        self.of(node)
        return self._x.arbitrary(scalar, node, NOT_TRACKED)

    def on(self, names: Iterable[str], assigned: Iterable[str], node: c_ast.Node) -> None:
        """Any change of what these names mean and lead to; registers change only if they are `assigned`."""
        x, given, lost = self._x, list[Expr](), list[Var]()
        for name in names:
            match x.scope.find(name):
                case RegisterName(var=var, type=type_):
                    if isinstance(type_, PointerType):
                        given.append(Read(var))
                    if name in assigned and not isinstance(type_, FloatType):
                        lost.append(var)
                case MemoryName(symbol=symbol, type=type_):
                    given.append(self._address(Place(symbol, (), type_, type_), node))
                    if not isinstance(type_, ArrayType | RecordType) and name in assigned:
                        x.emit(Store(Place(symbol, (), type_, type_), None, NOT_TRACKED), node)
                case FunctionName(name=function, type=type_) if x.unit.defined(name):
                    given.append(self._address(Place(function, (), type_, type_), node))
        if given:
            self._hand_over(given, node)
        if lost:
            x.emit(Forget(tuple(lost), NOT_TRACKED, pointer=True), node)

    def _hand_over(self, given: list[Expr], node: c_ast.Node) -> None:
        self._x.emit(Call(None, NOT_MODELLED, tuple(given), FunctionType(VoidType(), (), True)), node)

    def _address(self, place: Place, node: c_ast.Node) -> Expr:
        pointer = self._x.graph.temporary(self._x.ints.scalar(PointerType(place.type)))
        self._x.emit(Address(pointer, place), node)
        return Read(pointer)

    def _calls(self, node: c_ast.Node) -> None:
        """What can be lowered of the parts of a node that have calls; where the node may leave a part out, so may this."""
        x = self._x
        for part in node:
            if not isinstance(part, c_ast.Typename | c_ast.ID) and any(isinstance(n, c_ast.FuncCall) for n in walk(part)):
                end = x.graph.location()
                if isinstance(node, c_ast.TernaryOp) or (isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||")):
                    done = x.graph.location()
                    x.graph.branch(x.arbitrary(BOOL, part, NOT_TRACKED), done, end, x.unit.where(part), "")
                    x.graph.current = done
                self._attempt(part, partial(x.effect, part), partial(self._calls, part))
                x.graph.jump(end)
                x.graph.current = end


