"""What each annotation belongs to: a loop, a function, the threads of a function, or the whole program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pycparser import c_ast

from frontend.annotations.attached import Attached, Clause, ClauseKind
from frontend.program import FrontendError, Location

LOOPS = (c_ast.While, c_ast.DoWhile, c_ast.For)


def attach(clauses: Sequence[Clause], ast: c_ast.FileAST, where: Callable[[c_ast.Node], Location]) -> Attached:
    """Raises FrontendError for a clause that stands where there is nothing for it to belong to."""
    loops: dict[Location, list[int]] = {}
    functions: dict[str, list[int]] = {}
    inside: dict[int, str] = {}
    bodies = [(node.decl.name, sorted(_statements(node.body, where), key=lambda s: s[0])) for node in ast.ext
              if isinstance(node, c_ast.FuncDef)]
    tops = sorted(((where(node.decl if isinstance(node, c_ast.FuncDef) else node), node) for node in ast.ext
                   if getattr(node, "coord", None) is not None or isinstance(node, c_ast.FuncDef)), key=lambda s: s[0])
    for number, clause in enumerate(clauses):
        around = next((name for name, found in bodies if _within(clause.location, found)), None)
        match clause.kind:
            case ClauseKind.LOOP:
                loop = _next_loop(clause, next((found for name, found in bodies if name == around), []))
                loops.setdefault(loop, []).append(number)
            case ClauseKind.REQUIRES | ClauseKind.ENSURES | ClauseKind.ATOMIC:
                name = _next_function(clause, tops) if around is None else None
                if name is None:
                    raise FrontendError(clause.location, f"'{clause.kind.value}' belongs to no function",
                                        "put it directly before the function's declaration or definition")
                functions.setdefault(name, []).append(number)
                _fits(clause, [clauses[n] for n in functions[name]])
            case ClauseKind.ASSUMES:
                if around is not None and not clause.functions:
                    inside[number] = around
            case ClauseKind.INVARIANT | ClauseKind.GHOST:
                if around is not None:
                    raise FrontendError(clause.location,
                                        f"'{clause.kind.value}' stands inside a function, but is about the program",
                                        "move it to file level; a loop has a 'loop invariant'")
    return Attached(tuple(clauses), {q: tuple(ns) for q, ns in loops.items()}, {f: tuple(ns) for f, ns in functions.items()},
                    inside)


def _fits(clause: Clause, so_far: Sequence[Clause]) -> None:
    if {ClauseKind.ENSURES, ClauseKind.ATOMIC} <= {c.kind for c in so_far}:
        raise FrontendError(clause.location, "a function has either 'ensures' or 'atomic ensures'",
                            "say all in the latter, where x is the value before and x' the one after")


def open_loops(attached: Attached, ast: c_ast.FileAST, file: str, where: Callable[[c_ast.Node], Location]) -> tuple[Location,
                                                                                                                    ...]:
    """The places of the loops in a file that have no invariant; `do ... while (0)` is none."""
    bodies = [node.body for node in ast.ext if isinstance(node, c_ast.FuncDef)]
    found = {q for body in bodies for q, node in _statements(body, where) if isinstance(node, LOOPS) and not is_no_loop(node)}
    return tuple(sorted(q for q in found if q.file == file and q not in attached.loops))


def is_no_loop(node: c_ast.Node) -> bool:
    """Whether it is a `do ... while (0)`, as macros have it."""
    return isinstance(node, c_ast.DoWhile) and isinstance(node.cond, c_ast.Constant)


def _statements(node: c_ast.Node, where: Callable[[c_ast.Node], Location]) -> Iterator[tuple[Location, c_ast.Node]]:
    """Every node of a body that has a place."""
    work = [node]
    while work:
        here = work.pop()
        if here.coord is not None:
            yield where(here), here
        work.extend(child for _, child in here.children())


def _within(place: Location, found: Sequence[tuple[Location, c_ast.Node]]) -> bool:
    return bool(found) and found[0][0].file == place.file and found[0][0] < place < found[-1][0]


def _next_loop(clause: Clause, found: Sequence[tuple[Location, c_ast.Node]]) -> Location:
    after = [(q, node) for q, node in found if q > clause.location]
    if after:
        loop = next((q for q, node in after if q == after[0][0] and isinstance(node, LOOPS)), None)
        if loop is not None:
            return loop
    raise FrontendError(clause.location, "no loop follows this loop invariant", "put it directly before while, for or do")


def _next_function(clause: Clause, tops: Sequence[tuple[Location, c_ast.Node]]) -> str | None:
    node = next((node for q, node in tops if q > clause.location and q.file == clause.location.file), None)
    match node:
        case c_ast.FuncDef():
            return str(node.decl.name)
        case c_ast.Decl(type=c_ast.FuncDecl()):
            return str(node.name)
    return None
