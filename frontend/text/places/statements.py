"""The statements of a C file: where each begins, in which function, and which locals are in scope there.

Steps of automata stand at the operands that they touch; others who speak of a program (witnesses, debuggers) speak of its
statements. `Statements.at` leads from the one to the other.
"""

from __future__ import annotations

import enum
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from pycparser import c_ast

from frontend.program import Location
from frontend.records import dataclass
from frontend.text.parse import ParsedFile
from frontend.text.places.line_marks import LineMarks


class StatementKind(enum.Enum):
    PLAIN = "plain"
    BRANCH = "branch"
    LOOP = "loop"
    FUNCTION = "function"
    """The head of a function, which is no statement."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement by the place of its first character. `callee`: the function that it calls, if it is a call and nothing else.

    `direct`: its own expressions (not those of statements inside it) call nothing, and reach what they touch by name alone.
    `names`: the locals in scope before it.
    """

    location: Location
    kind: StatementKind
    function: str
    names: frozenset[str] = frozenset()
    direct: bool = False
    callee: str = ""


class Statements:
    """The statements of all files of a program, in the order of their places.

    Preprocessed files have marks that say where their lines come from. `Statement.location` is such a place, as in all that
    circ reports; `meant` and `written` lead from lines of the files themselves to these places and back.
    """

    def __init__(self, found: Iterable[Statement], marks: Iterable[LineMarks] = ()) -> None:
        self._marks = {m.path: m for m in marks}
        by_file: dict[str, dict[Location, Statement]] = {}
        for s in found:
            by_file.setdefault(s.location.file, {}).setdefault(s.location, s)
        self._sorted = {file: sorted(places.items()) for file, places in by_file.items()}

    def meant(self, file: str, line: int) -> tuple[str, int]:
        """The file and line that a line of a file of the program comes from."""
        return self._marks[file].source(line) if file in self._marks else (file, line)

    def written(self, place: Location) -> Location:
        """Where in the files of the program a place is."""
        for path, marks in self._marks.items():
            line = marks.here(place.file, place.line)
            if line is not None:
                return Location(path, line, place.column)
        return place

    @property
    def inputs(self) -> tuple[str, ...]:
        """The files of the program that lines can be given of: those that were read, and those that these come from."""
        return tuple(dict.fromkeys((*self._marks, *self._sorted)))

    def at(self, place: Location) -> Statement | None:
        """The statement that a place is in: the last that begins there or before. None for places in heads of functions."""
        places = self._sorted.get(place.file, [])
        n = bisect_right(places, place, key=lambda item: item[0])
        found = places[n - 1][1] if n else None
        return None if found is None or found.kind is StatementKind.FUNCTION else found

    def on_line(self, file: str, line: int) -> tuple[Statement, ...]:
        """Those that begin in a line; if there is none, the one that goes on there."""
        found = tuple(s for place, s in self._sorted.get(file, ()) if place.line == line and s.kind is not StatementKind.FUNCTION)
        inside = () if found else (self.at(Location(file, line, 1 << 30)),)
        return found or tuple(s for s in inside if s is not None)


def statements(file: ParsedFile, text: str, marks: LineMarks) -> Iterator[Statement]:
    """The statements of the functions of a file whose text and marks are given, with those that it includes."""
    walk = _Walk(file, text.splitlines(), marks)
    for node in file.ast.ext:
        if isinstance(node, c_ast.FuncDef):
            yield from walk.function(node)


_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_BRANCHES = (c_ast.If, c_ast.Switch)
_BODIES = {c_ast.For: ("stmt",), c_ast.While: ("stmt",), c_ast.DoWhile: ("stmt",), c_ast.If: ("iftrue", "iffalse"),
           c_ast.Switch: ("stmt",), c_ast.Label: ("stmt",), c_ast.Case: ("stmts",), c_ast.Default: ("stmts",)}
_PREFIXES = "*&!~+-( \t"
"""What may stand before the first operand of a statement, whose place is all that the AST has."""


class _Walk:
    def __init__(self, file: ParsedFile, lines: list[str], marks: LineMarks) -> None:
        self.file, self.lines, self.marks, self.name = file, lines, marks, ""

    def function(self, node: c_ast.FuncDef) -> Iterator[Statement]:
        self.name = node.decl.name
        yield Statement(self.file.location(node), StatementKind.FUNCTION, self.name)
        parameters = getattr(node.decl.type, "args", None)
        names = frozenset(p.name for p in (parameters.params if parameters else ()) if getattr(p, "name", None))
        yield from self.block(node.body.block_items or (), names)

    def block(self, items: Iterable[c_ast.Node], names: frozenset[str]) -> Iterator[Statement]:
        for item in items:
            yield from self.statement(item, names)
            if isinstance(item, c_ast.Decl) and item.name:
                names |= {item.name}

    def statement(self, node: c_ast.Node, names: frozenset[str]) -> Iterator[Statement]:
        if isinstance(node, c_ast.Compound):
            yield from self.block(node.block_items or (), names)
            return
        nested = _BODIES.get(type(node), ())
        if not isinstance(node, c_ast.Label | c_ast.Case | c_ast.Default | c_ast.EmptyStatement | c_ast.Pragma):
            own = [child for name, child in node.children() if name.partition("[")[0] not in nested]
            yield self.made(node, own, names)
        if isinstance(node, c_ast.For) and isinstance(node.init, c_ast.DeclList):
            names |= {d.name for d in node.init.decls}
        for field in nested:
            body = getattr(node, field)
            for part in body if isinstance(body, list) else [body]:
                if part is not None:
                    yield from self.statement(part, names)

    def made(self, node: c_ast.Node, own: list[c_ast.Node], names: frozenset[str]) -> Statement:
        kind = StatementKind.LOOP if isinstance(node, _LOOPS) else StatementKind.BRANCH if isinstance(node, _BRANCHES) \
            else StatementKind.PLAIN
        callee = node.name.name if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID) else ""
        inside = [node, *(n for child in own for n in _all(child))]
        direct = not any(map(_is_indirect, inside))
        here = self.file.location(node)
        places = [place for n in inside if (place := self.file.location(n)).file == here.file and place.line > 0]
        begin = here if kind is not StatementKind.PLAIN else min((here, *places))
        return Statement(self._first(begin), kind, self.name, names, direct, callee)

    def _first(self, place: Location) -> Location:
        """The place of the first character, before the operators in front of the first operand."""
        line = self.marks.here(place.file, place.line)
        if line is None or not 0 < line <= len(self.lines):
            return place
        before = self.lines[line - 1][:max(0, place.column - 1)]
        rest = before.rstrip(_PREFIXES)
        skipped = before[len(rest):]
        return Location(place.file, place.line, len(rest) + len(skipped) - len(skipped.lstrip()) + 1)


def _is_indirect(node: c_ast.Node) -> bool:
    """A call, or an access through a pointer or to an element."""
    return isinstance(node, c_ast.FuncCall | c_ast.ArrayRef) or (isinstance(node, c_ast.UnaryOp) and node.op == "*") \
        or (isinstance(node, c_ast.StructRef) and node.type == "->")


def _all(node: c_ast.Node) -> Iterator[c_ast.Node]:
    yield node
    for _, child in node.children():
        yield from _all(child)
