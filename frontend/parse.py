"""From a C file to a pycparser AST: read, preprocess, rewrite the dialect's tokens, parse.

How what pycparser does not know appears in the AST (`frontend.dialect` makes it so):

- `atomic S`           `AttributedStatement` around S whose attribute has namespace `circ` and name `atomic`
- `circ_critical { }`  the same with name `critical`
- `asm("t" : outs : ins)`  `FuncCall(ID('__circ_asm'), [Constant "t", &(out)..., (in)...])`
- `typeof(e)`          `TypeOf('typeof', e)` as `TypeDecl.type`, e an expression or a `Typename`; `__auto_type x` is `InferredType`
- `a ?: b`             `TernaryOp(a, ID('__circ_condition'), b)`: the value of a, evaluated once
- `case 1 ... 5:`      `Case(FuncCall(ID('__circ_range'), [1, 5]), ...)`, and `[1 ... 5] = v` the same in `ArrayDesignator`
- `__builtin_va_list`  `IdentifierType(['__builtin_va_list'])`
- `__builtin_types_compatible_p(A, B)`  a `FuncCall` with `UnaryOp('sizeof', A)` and `UnaryOp('sizeof', B)` as arguments
- `__alignof__ (x)`    `UnaryOp('_Alignof', Typename)`, for an expression a typename made of its `TypeOf`
- `post f()`           `FuncCall(ID('TOS_post'), [ID('f')])`
- `_Float32`, `_Float64`, `_Float128`, ...  `float`, `double`, `long double`
- attributes           in the `attributes` of `Decl`, `Typedef`, `TypeDecl`, `FuncDecl`, `ArrayDecl`, `Struct`, `Union`, `Enum`
                       (read them with `ParsedFile.record_attributes`)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pycparser import c_ast

from frontend.ir import Annotation
from frontend.source import FrontendError, Location


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How to read a file: what `-I -D -U --cpp --data-model` say."""

    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    undefine: tuple[str, ...] = ()
    cpp: str | None = None
    data_model: str = "lp64"


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute with the text of its arguments; the name without surrounding underscores (`signal` for `__signal__`)."""

    name: str
    args: tuple[str, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A C file as a pycparser AST with the facts that the AST does not hold.

    `attributes`: of functions, variables and typedefs of file scope, by name, all their declarations together.
    `annotations`: `//@`, `/*@ */` and `// circ-` comments, and `circ_invariant(e);` and its like at file scope.
    """

    path: str
    ast: c_ast.FileAST
    attributes: Mapping[str, tuple[Attribute, ...]]
    annotations: tuple[Annotation, ...]
    assumptions: tuple[tuple[str, Location], ...]

    def location(self, node: object) -> Location:
        """Where the node (or pycparser coordinate) stands in the file the user wrote."""
        raise NotImplementedError

    def record_attributes(self, node: c_ast.Node) -> tuple[Attribute, ...]:
        """Attributes of one Struct, Union, Enum, Decl (also of a field, a local, a parameter) or Typedef node.

        `#pragma pack(n)` in force at a struct or union appears as the attribute `pack` with argument n.
        """
        raise NotImplementedError


def parse(path: str, options: SourceOptions) -> ParsedFile:
    """The parsed file; raises FrontendError for anything wrong with it."""
    raise FrontendError(Location(path, 1), "parsing is not there yet")
