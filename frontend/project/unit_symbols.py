"""What one file gives to and needs of the others, as the symbol table of its object file would say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pycparser import c_ast

from frontend.ctypes.linkage import Declared, linkage
from frontend.ir.interrupt_table import InterruptTable
from frontend.records import dataclass
from frontend.text.parse import ParsedFile
from frontend.threads.sources import is_handler, is_thread


@dataclass(frozen=True, slots=True)
class UnitSymbols:
    """Names with external linkage: those that the file defines, weakly or inline, and those that it needs.

    `handlers`: functions that hardware calls. `threads`: whether a function is marked as a thread or task.
    """

    defined: frozenset[str]
    weak: frozenset[str]
    needed: frozenset[str]
    handlers: frozenset[str] = frozenset()
    threads: bool = False

    @property
    def main(self) -> bool:
        return "main" in self.defined


def unit_symbols(parsed: ParsedFile, table: InterruptTable) -> UnitSymbols:
    """The symbols of a file. What only static functions mention that nobody calls is not needed: compilers leave them out."""
    declared = linkage(parsed)
    mentioned = _mentioned(parsed, declared)
    inline = _inline(parsed)
    external = {n for n, d in declared.items() if not d.internal and (d.defined or d.alias is not None)}
    attributes = {n: [a.name for a in parsed.attributes.get(n, ())] for n in declared}
    functions = [n for n, d in declared.items() if d.function and d.defined]
    handlers = frozenset(n for n in functions if is_handler(n, attributes[n], table))
    kept = {n for n in declared if declared[n].internal and {"used", "constructor", "destructor"} & set(attributes[n])}
    weak = {n for n in external if declared[n].weak or n in inline}
    threads = any(is_thread(attributes[n]) for n in functions)
    roots = external - inline | handlers | kept | {n for n in functions if is_thread(attributes[n])}
    reached = _reached(roots, mentioned, declared)
    needed = frozenset(_outside(name, declared) for name in reached if name not in declared or _is_elsewhere(declared[name]))
    return UnitSymbols(frozenset(external - weak), frozenset(weak), needed - external, handlers, threads)


def _is_elsewhere(d: Declared) -> bool:
    return not d.defined and d.alias is None and not d.weak


def _outside(name: str, declared: Mapping[str, Declared]) -> str:
    """What the linker knows a name by."""
    return (declared[name].called or name) if name in declared else name


def _reached(roots: set[str], mentioned: Mapping[str, frozenset[str]], declared: Mapping[str, Declared]) -> set[str]:
    """What is mentioned by these names, and by what they mention."""
    found, todo = set(roots), sorted(roots)
    while todo:
        name = todo.pop()
        alias = declared[name].alias if name in declared else None
        more = (mentioned.get(name, frozenset()) | ({alias} if alias else set())) - found
        found |= more
        todo += sorted(more)
    return found


def _inline(parsed: ParsedFile) -> set[str]:
    """Functions that have an inline definition only, which other files may have as well (C11 6.7.4)."""
    bodies = {n.decl.name for n in parsed.ast.ext if isinstance(n, c_ast.FuncDef) and "inline" in n.decl.funcspec
              and "static" not in n.decl.storage}
    plain = {n.name for n in parsed.ast.ext if isinstance(n, c_ast.Decl) and n.name in bodies and "inline" not in n.funcspec}
    return bodies - plain


# --------------------------------------------------------------------------------------------------- names in bodies
def _mentioned(parsed: ParsedFile, declared: Mapping[str, Declared]) -> dict[str, frozenset[str]]:
    """By function or object of file scope: the names of file scope, or of none in this file, that stand in it."""
    constants = {e.name for node in parsed.ast.ext for e in _enumerators(node)}
    found: dict[str, frozenset[str]] = {}
    for node in parsed.ast.ext:
        if isinstance(node, c_ast.FuncDef):
            bound = frozenset(p.name for p in _parameters(node.decl.type) if getattr(p, "name", None))
            found[node.decl.name] = frozenset(_free(node.body, bound)) - constants
        elif isinstance(node, c_ast.Decl) and node.name is not None and node.init is not None:
            found[node.name] = frozenset(_free(node.init, frozenset())) - constants
    return found


def _parameters(declarator: c_ast.Node) -> list[c_ast.Node]:
    while not isinstance(declarator, c_ast.FuncDecl):
        declarator = declarator.type
    return list(declarator.args.params) if declarator.args is not None else []


def _enumerators(node: c_ast.Node) -> Iterator[c_ast.Enumerator]:
    todo = [node]
    while todo:
        at = todo.pop()
        if isinstance(at, c_ast.Enumerator):
            yield at
        elif not isinstance(at, c_ast.Compound):
            todo.extend(at)


def _free(node: c_ast.Node, bound: frozenset[str]) -> Iterator[str]:
    """The names in a statement or expression that it does not declare itself, members of structs aside."""
    match node:
        case c_ast.ID():
            if node.name not in bound:
                yield node.name
        case c_ast.StructRef():
            yield from _free(node.name, bound)
        case c_ast.NamedInitializer():
            for part in node.name:
                if not isinstance(part, c_ast.ID):
                    yield from _free(part, bound)
            yield from _free(node.expr, bound)
        case c_ast.Compound() | c_ast.For() | c_ast.DeclList():
            yield from _in_scope(list(node), bound)
        case _:
            for child in node:
                yield from _free(child, bound)


def _in_scope(nodes: list[c_ast.Node], bound: frozenset[str]) -> Iterator[str]:
    """Declarations hold from where they stand to the end of the scope."""
    for node in nodes:
        yield from _free(node, bound)
        for decl in node if isinstance(node, c_ast.DeclList) else (node,):
            if isinstance(decl, c_ast.Decl) and decl.name is not None:
                outside = "extern" in decl.storage or isinstance(decl.type, c_ast.FuncDecl)
                bound = bound - {decl.name} if outside else bound | {decl.name}
