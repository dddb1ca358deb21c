"""From a C file to a pycparser AST: read, preprocess, rewrite the dialect's tokens, parse.

How what pycparser does not know appears in the AST (`frontend.text.dialect` makes it so):

- `atomic S`           `AttributedStatement` around S whose attribute has namespace `circ` and name `atomic`
- `circ_critical { }`  the same with name `critical`
- `asm("t" : outs : ins)`  `FuncCall(ID('__circ_asm'), [Constant "t", &(out)..., FuncCall(ID('__circ_inputs'), [(in)...])])`
- `asm goto(... : label, ...)`  `FuncCall(ID('__circ_asm_goto'), [the same, ID label...])`
- `&&label`            `FuncCall(ID('__circ_label'), [ID label])`, and `goto *e;` is `FuncCall(ID('__circ_goto'), [e])`
- a body that cannot be read  `FuncCall(ID('__circ_not_modelled'), [Constant "what", Constant "name"...])`
- `typeof(e)`          `TypeOf('typeof', e)` as `TypeDecl.type`, e an expression or a `Typename`
- `__auto_type x = e`  `InferredType()` as `TypeDecl.type`
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

import re
from collections.abc import Callable, Collection, Iterator, Mapping

from pycparser import c_ast
from pycparser.c_parser import Coord, CParser, ParseError

from frontend.program import (
    DATA_MODELS,
    MAX_AST_DEPTH,
    NOWHERE,
    DataModel,
    FrontendError,
    Location,
    NotModelled,
    deep_recursion,
    no_collection,
)
from frontend.records import dataclass
from frontend.text.attributes import Attribute, attributes_of
from frontend.text.cursor import made
from frontend.text.dialect import Rewritten, rewrite
from frontend.text.keywords import NOT_MODELLED
from frontend.text.preprocess import INCLUDE, Preprocessed, SourceOptions, preprocess
from frontend.text.tokens import Annotation, Token, joined_strings, scan
from frontend.text.unused_declarations import used

_SYSTEM = ("/usr/", INCLUDE)
"""How the names of system headers begin, and of our own in place of them."""

__all__ = ["Attribute", "ParsedFile", "SourceOptions", "expression_of", "parse"]


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """A C file as a pycparser AST with the facts that the AST does not hold.

    `attributes`: of functions, variables and typedefs of file scope, by name, all their declarations together.
    `annotations`: the text of `//@`, `/*@ */` and `// circ-` comments as written, and of `circ_invariant(e)`,
    `circ_range(x, lo, hi)` and `circ_exception(...)` at file scope.
    """

    path: str
    ast: c_ast.FileAST
    attributes: Mapping[str, tuple[Attribute, ...]]
    annotations: tuple[Annotation, ...]
    assumptions: tuple[tuple[str, Location], ...]

    def location(self, node: object) -> Location:
        """Where the node (or pycparser coordinate) stands in the file the user wrote."""
        coord = getattr(node, "coord", node)
        return Location(coord.file, coord.line, coord.column or 0) if isinstance(coord, Coord) else NOWHERE

    def record_attributes(self, node: c_ast.Node) -> tuple[Attribute, ...]:
        """Attributes of one Struct, Union, Enum, Decl (also of a field, a local, a parameter) or Typedef node.

        `#pragma pack(n)` in force at a struct or union appears as the attribute `pack` with argument n.
        """
        return attributes_of(node)


def parse(path: str, options: SourceOptions, source: Preprocessed | None = None, may_be_empty: bool = False) -> ParsedFile:
    """The parsed file; raises FrontendError for anything wrong with it. `source`, if it is preprocessed already, is used up."""
    with deep_recursion(), no_collection():
        source = source or preprocess(path, options)
        if not source.tokens and not may_be_empty:
            raise FrontendError(Location(path, 1, 1), "there is no C in this file", "it is empty or has comments only")
        tokens = used(source.tokens, () if path.startswith(_SYSTEM) else _SYSTEM, [a.text for a in source.annotations])
        try:
            rewritten, ast = _rewritten_and_parsed(tokens, path, options)
        except FrontendError:
            if len(tokens) == len(source.tokens):
                raise
            rewritten, ast = _rewritten_and_parsed(preprocess(path, options).tokens, path, options)
    _check_depth(ast, path)
    _check_bodies(ast, path)
    annotations = sorted(source.annotations + rewritten.annotations, key=lambda a: a.location)
    return ParsedFile(path, ast, _by_name(ast), tuple(annotations), rewritten.assumptions)


def _rewritten_and_parsed(tokens: list[Token], path: str, options: SourceOptions) -> tuple[Rewritten, c_ast.FileAST]:
    rewritten = rewrite(joined_strings(tokens), DATA_MODELS[options.data_model])
    return rewritten, _parse_bodies(rewritten.tokens, path)


def expression_of(text: str, types: Collection[str], where: Location, model: DataModel) -> c_ast.Node:
    """An expression that stands in an attribute, as an AST; `types` are the names in it that are types."""
    known = "".join(f"typedef int {name};" for name in sorted(types))
    try:
        tokens = list(scan(f"{known} int value = ({text});", where.file, newlines=False))
        ast = _parse_tokens(rewrite(tokens, model).tokens, where.file)
    except FrontendError:
        raise FrontendError(where, f"'{text}' is not understood", "write it as a number") from None
    return ast.ext[-1].init


class _Feed:
    """Gives pycparser's parser our tokens in place of its lexer's."""

    def __init__(self, error_func: Callable[[str, int, int], None], *, dialect: str) -> None:
        self.filename = ""
        self.tokens: list[Token] = []
        self.position = 0

    def input(self, text: str, filename: str = "") -> None:
        self.filename = filename

    def token(self) -> Token | None:
        if self.position == len(self.tokens):
            return None
        self.position += 1
        return self.tokens[self.position - 1]


def _parse_bodies(tokens: list[Token], path: str) -> c_ast.FileAST:
    """The AST, with a call for each function body whose syntax is not modelled."""
    while True:
        try:
            return _parse_tokens(tokens, path)
        except _Unread as error:
            shorter = _without_body(tokens, error.index, error.message)
            if shorter is None:
                raise NotModelled(error.location, error.message) from None
            tokens = shorter


class _Unread(NotModelled):
    """Syntax that compilers take and the parser does not; `index`: of the token where that shows."""

    def __init__(self, location: Location, message: str, index: int) -> None:
        super().__init__(location, message)
        self.index = index


def _parse_tokens(tokens: list[Token], path: str) -> c_ast.FileAST:
    parser = CParser(lexer=_Feed, dialect="c23")
    feed = parser.clex
    feed.tokens = tokens
    # pycparser knows some places only as that of the file; the token it looks at is then the one read last.
    try:
        return parser.parse("", path)
    except ParseError as error:
        raise _readable(str(error), tokens, feed.position, path) from None
    except RecursionError:
        place = tokens[max(0, feed.position - 1)].location
        raise FrontendError(place, "the program is nested too deeply here", "split the expression or the chain") from None
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        # pycparser checks some of the syntax with assertions or not at all.
        token = tokens[max(0, feed.position - 1)]
        raise FrontendError(token.location, f"syntax error near '{token.value}'", "this is not C as we know it") from None


_PLACE = re.compile(r"(.*):(\d+):(\d+): (.*)", re.DOTALL)
_TYPE_PLACE = frozenset({"ID", "TYPEID", "TIMES"})


def _readable(message: str, tokens: list[Token], position: int, path: str) -> FrontendError:
    """pycparser's error with its place, the token that does not fit, and what is probably wrong."""
    index = max(0, position - 1)
    place = tokens[index].location
    text = message.removeprefix(f"{path}: ")
    if m := _PLACE.fullmatch(message):
        place = Location(m[1], int(m[2]), int(m[3]))
        text = m[4]
        back = range(index, max(-1, index - 50), -1)
        index = next((i for i in back if tokens[i].location == place), index)
    if text == "At end of input":
        return FrontendError(place, "the file ends in the middle of a declaration", "a ';' or '}' is missing")
    if text == "Invalid function definition" and index + 1 < len(tokens):  # it names the name that is not a type
        index += 1
        place, text = tokens[index].location, "before: "
    token = tokens[index]
    if not (text.startswith("before: ") or text == "Invalid expression"):
        return FrontendError(place, text[0].lower() + text[1:], f"near {_shown(token)}")
    if _is_nested_function(tokens, index):
        return _Unread(place, "a function inside a function is not modelled", index)
    return FrontendError(place, f"syntax error at {_shown(token)}", _hint(tokens, index))


_OUR_WORDS = {"__circ_asm": "'asm'", "__circ_inputs": "'asm'", "__circ_range": "'...'", "__circ_condition": "'?:'"}


def _shown(token: Token) -> str:
    """The token as the user knows it, not as the dialect pass put it."""
    if token.type in ("ATTRIBUTE_BEGIN", "ATTRIBUTE_END"):
        return "an attribute or 'atomic'"
    return _OUR_WORDS.get(token.value, f"'{token.value}'")


def _hint(tokens: list[Token], index: int) -> str:
    token = tokens[index]
    before = tokens[index - 1] if index else token
    if token.type in _TYPE_PLACE and before.type == "ID" and index > 0:
        return f"is '{before.value}' a type? then declare it or include its header; otherwise a ';' or an operator is missing"
    if token.type == "LBRACE" and before.type in _BEFORE_BODY and _at_file_level(tokens, index):
        return "a ';' is missing behind the declaration in front of this function"
    return f"it does not fit behind {_shown(before)}" if index else "this is not C"


def _check_bodies(ast: c_ast.FileAST, path: str) -> None:
    """Refuses `int main { }`: pycparser takes a body behind anything that is declared."""
    for node in ast.ext:
        if isinstance(node, c_ast.FuncDef) and not isinstance(node.decl.type, c_ast.FuncDecl):
            coord = node.decl.coord
            raise FrontendError(Location(coord.file, coord.line, coord.column or 0) if coord else Location(path, 1, 1),
                                f"'{node.decl.name}' has a body but is no function",
                                f"write '{node.decl.name}(void)', or what its parameters are")


# --------------------------------------------------------------------------------------------------- bodies that cannot be read
_OPENS = {"LBRACE": 1, "RBRACE": -1}
_BEFORE_BODY = ("RPAREN", "ATTRIBUTE_END")
_STATEMENT_ENDS = ("SEMI", "LBRACE", "RBRACE")
_CONTROL = ("IF", "WHILE", "FOR", "SWITCH")


def _is_nested_function(tokens: list[Token], brace: int) -> bool:
    """Whether the brace opens the body of a function inside a function: a type, a name and parameters stand in front of it."""
    if tokens[brace].type != "LBRACE" or tokens[brace - 1].type not in _BEFORE_BODY or _at_file_level(tokens, brace):
        return False
    start = brace
    while start and tokens[start - 1].type not in _STATEMENT_ENDS:
        start -= 1
    head = [t.type for t in tokens[start:brace]]
    first = head.index("LPAREN") if "LPAREN" in head else 0
    return first > 1 and head[first - 1] == "ID" and head[0] not in _CONTROL and "EQUALS" not in head[:first]


def _at_file_level(tokens: list[Token], index: int) -> bool:
    return sum(_OPENS.get(t.type, 0) for t in tokens[:index]) == 0


def _without_body(tokens: list[Token], inside: int, what: str) -> list[Token] | None:
    """The tokens with a call in place of the function body that the given token is in; None if it is in none."""
    level, opening = 0, -1
    for i, token in enumerate(tokens):
        if token.type == "LBRACE" and level == 0:
            opening = i
        level += _OPENS.get(token.type, 0)
        if token.type == "RBRACE" and level == 0 and opening < inside <= i:
            break
    else:
        return None
    if tokens[opening - 1].type not in _BEFORE_BODY:
        return None
    place, body = tokens[inside], tokens[opening + 1:i]
    names = list(dict.fromkeys(t.value for t in body if t.type == "ID"))
    call: list[str | list[Token]] = [NOT_MODELLED, "("]
    for n, text in enumerate([what, *names]):
        string = Token("STRING_LITERAL", f'"{text}"', place.lineno, place.column, place.filename)
        call += [",", [string]] if n else [[string]]
    return [*tokens[:opening + 1], *made(place, *call, ")", ";"), *tokens[i:]]


def _check_depth(ast: c_ast.FileAST, path: str) -> None:
    """Refuses an AST so deep that a recursive walk over it could fail."""
    level: list[c_ast.Node] = list(ast.ext)
    for _ in range(MAX_AST_DEPTH):
        if not level:
            return
        level = [child for node in level for child in node]
    place = next((Location(n.coord.file, n.coord.line, n.coord.column or 0) for n in level if n.coord), Location(path, 1, 1))
    raise FrontendError(place, f"nested more than {MAX_AST_DEPTH} levels deep",
                        "split the expression, or make the chain of 'else if' a switch")


def _by_name(ast: c_ast.FileAST) -> dict[str, tuple[Attribute, ...]]:
    found: dict[str, tuple[Attribute, ...]] = {}
    for decl in _declarations(ast):
        if attributes := attributes_of(decl):
            found[decl.name] = found.get(decl.name, ()) + attributes
    return found


def _declarations(ast: c_ast.FileAST) -> Iterator[c_ast.Node]:
    for node in ast.ext:
        decl = node.decl if isinstance(node, c_ast.FuncDef) else node
        if isinstance(decl, c_ast.Decl | c_ast.Typedef) and decl.name is not None:
            yield decl
