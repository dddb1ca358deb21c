"""The symbol table of one file: what its names of file scope declare, and with which linkage (C11 6.2.2, 6.9)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace

from pycparser import c_ast

from frontend.program import Location
from frontend.records import dataclass
from frontend.text.attributes import ASM_LABEL, Attribute
from frontend.text.parse import ParsedFile

_HANDLERS = ("signal", "interrupt")
_HANDLER_NAME = re.compile(r"__vector_\d+|\w+_(?:IRQ)?Handler")


@dataclass(frozen=True, slots=True)
class Declared:
    """A function or object of file scope, all its declarations together.

    `defined`: it has a body, or memory of this file's. `alias`: it is another name of this one. `called`: what the assembler
    knows it by. `location` is that of the definition, if there is one.
    """

    name: str
    location: Location
    function: bool
    internal: bool = False
    defined: bool = False
    weak: bool = False
    alias: str | None = None
    called: str | None = None


def linkage(parsed: ParsedFile) -> Mapping[str, Declared]:
    """The functions and objects that a file declares at file scope, by name in source order."""
    typedefs: dict[str, c_ast.Typedef] = {}
    found: dict[str, Declared] = {}
    for node in parsed.ast.ext:
        if isinstance(node, c_ast.Typedef):
            typedefs[node.name] = node
        decl = node.decl if isinstance(node, c_ast.FuncDef) else node
        if not isinstance(decl, c_ast.Decl) or decl.name is None:
            continue
        function = isinstance(node, c_ast.FuncDef) or declares_function(decl, typedefs)
        body = isinstance(node, c_ast.FuncDef) and not for_inlining(node)
        defines = body if function else "extern" not in decl.storage or decl.init is not None
        before = found.get(decl.name) or Declared(decl.name, parsed.location(decl), function)
        found[decl.name] = replace(
            before, function=function, internal=before.internal or "static" in decl.storage,
            defined=before.defined or defines, location=parsed.location(decl) if defines else before.location)
    return {name: _attributed(d, parsed.attributes.get(name, ())) for name, d in found.items()}


def with_alias_handlers(parsed: ParsedFile) -> ParsedFile:
    """The file in which each handler that is another name of a function is a function that calls it.

    `ISR(INT1_vect, ISR_ALIASOF(INT0_vect));` makes a handler of its own that runs the other one's code. The code of a handler
    is made a function that both call: to call a handler switches interrupts on where it returns. A weak alias is the default
    for a handler that is not there, and what it is another name of stands for it.
    """
    table = linkage(parsed)
    ends = {name: _handler_end(d, table) for name, d in table.items()
            if d.function and d.alias is not None and not d.weak and _is_handler(name, parsed.attributes.get(name, ()))}
    if not any(ends.values()):
        return parsed
    attributes, nodes, code = dict(parsed.attributes), list(parsed.ast.ext), dict[str, str]()
    for name, target in ends.items():
        if target is None:
            continue
        marks = [a for a in parsed.attributes.get(target, ()) if a.name in _HANDLERS]
        if target not in code:
            code[target] = _code_apart(nodes, target) if marks else target
        at = next(n for n, node in enumerate(nodes) if isinstance(node, c_ast.Decl) and node.name == name)
        nodes[at] = _calling(nodes[at], code[target])
        own = [a for a in parsed.attributes.get(name, ()) if a.name != "alias" and (not marks or a.name not in _HANDLERS)]
        attributes[name] = (*own, *marks)
    return replace(parsed, ast=c_ast.FileAST(nodes, parsed.ast.coord), attributes=attributes)


def _code_apart(nodes: list[c_ast.Node], handler: str) -> str:
    """Make the body of a handler a function of its own, in front of all; gives its name."""
    at = next(n for n, node in enumerate(nodes) if isinstance(node, c_ast.FuncDef) and node.decl.name == handler)
    name, found = f"{handler}_code", nodes[at]
    inner = copy(found.decl.type.type)
    inner.declname = name
    decl, kind = copy(found.decl), copy(found.decl.type)
    kind.type = inner
    decl.name, decl.type, decl.storage = name, kind, ["static"]
    nodes[at] = _calling(found.decl, name)
    nodes.insert(at, c_ast.FuncDef(decl, found.param_decls, found.body, found.coord))
    return name


def _calling(decl: c_ast.Decl, target: str) -> c_ast.FuncDef:
    call = c_ast.FuncCall(c_ast.ID(target, decl.coord), None, decl.coord)
    return c_ast.FuncDef(decl, None, c_ast.Compound([call], decl.coord), decl.coord)


def _is_handler(name: str, attributes: Sequence[Attribute]) -> bool:
    return any(a.name in _HANDLERS for a in attributes) or _HANDLER_NAME.fullmatch(name) is not None


def _handler_end(declared: Declared, table: Mapping[str, Declared]) -> str | None:
    """The function of this file that an alias stands for in the end, None if there is none."""
    seen: set[str] = set()
    found: Declared | None = declared
    while found is not None and found.alias is not None and found.name not in seen:
        seen.add(found.name)
        found = table.get(found.alias)
    return found.name if found is not None and found.defined else None


def _attributed(declared: Declared, attributes: Sequence[Attribute]) -> Declared:
    by_name = {a.name: a for a in attributes}
    alias = _quoted(by_name["alias"]) if "alias" in by_name else None
    called = _quoted(by_name[ASM_LABEL]) if ASM_LABEL in by_name else None
    return replace(declared, weak="weak" in by_name, alias=alias, called=called, defined=declared.defined and alias is None)


def _quoted(attribute: Attribute) -> str:
    """The name in an attribute's argument, which is written as a string."""
    return "".join(re.findall(r'"([^"]*)"', "".join(attribute.args)))


def declares_function(decl: c_ast.Decl, typedefs: Mapping[str, c_ast.Typedef]) -> bool:
    """Whether the declaration is one of a function, be it through a typedef."""
    node: c_ast.Node = decl.type
    while isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType):
        named = typedefs.get(node.type.names[0])
        if named is None:
            return False
        node = named.type
    return isinstance(node, c_ast.FuncDecl)


def for_inlining(node: c_ast.FuncDef) -> bool:
    """Whether the body is one for inlining alone, beside which there is another one."""
    return "inline" in node.decl.funcspec and "extern" in node.decl.storage
