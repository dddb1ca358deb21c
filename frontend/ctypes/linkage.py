"""The symbol table of one file: what its names of file scope declare, and with which linkage (C11 6.2.2, 6.9)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pycparser import c_ast

from frontend.program import Location
from frontend.text.attributes import ASM_LABEL, Attribute
from frontend.text.parse import ParsedFile


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
