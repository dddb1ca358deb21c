"""Attributes: what is in `__attribute__((...))`, `__declspec(...)` and `[[...]]`, and how it goes into the AST.

pycparser keeps C23's `[[...]]`, so every attribute that may carry meaning is given to it in that form.
"""

from __future__ import annotations

from pycparser import c_ast

from frontend.program import FrontendError, Location
from frontend.records import dataclass
from frontend.text.macros import spelled
from frontend.text.tokens import Token, scan


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute with the text of its arguments; the name without surrounding underscores (`signal` for `__signal__`)."""

    name: str
    args: tuple[str, ...]
    location: Location


ASM_LABEL = "circ_asm_label"
"""What `int g asm("h");` becomes: the name that the assembler knows the object by."""

WITHOUT_MEANING = frozenset({
    "access", "alloc_align", "alloc_size", "always_inline", "artificial", "assume", "assume_aligned", "bounded", "cdecl",
    "cold", "const", "counted_by", "deprecated", "designated_init", "diagnose_if", "dllexport", "dllimport", "enable_if",
    "error", "externally_visible", "fallthrough", "fd_arg", "fd_arg_read", "fd_arg_write", "flatten", "format", "format_arg",
    "gnu_inline", "hot", "leaf", "malloc", "may_alias", "maybe_unused", "musttail", "noclone", "nodiscard", "noinline",
    "no_icf", "no_instrument_function", "no_sanitize", "no_sanitize_address", "no_split_stack", "nonnull", "nonstring",
    "noplt", "nothrow", "null_terminated_string_arg", "optimize", "pure", "reproducible", "regparm", "returns_nonnull",
    "sentinel", "stdcall", "target", "tls_model", "transparent_union", "unavailable", "unsequenced", "unused", "used",
    "visibility", "warn_if_not_aligned", "warn_unused_result", "warning",
})
"""Attributes that change no program's behaviour; they are dropped."""

REFUSED = {
    "scalar_storage_order": "convert the bytes by hand",
    "weakref": "call or use the original directly",
}
"""Attributes that change what the program does in a way that is not modelled, with what to do instead."""


def parse_attributes(tokens: list[Token]) -> list[tuple[Token, list[Token]]]:
    """Name and argument tokens of each attribute in a list; those without meaning are left out."""
    found: list[tuple[Token, list[Token]]] = []
    i = 0
    while i < len(tokens):
        t = tokens[i]
        i += 1
        if t.type == "COMMA":
            continue
        while i + 2 < len(tokens) and tokens[i].type == tokens[i + 1].type == "COLON":  # a namespace: gnu::packed
            t = tokens[i + 2]
            i += 3
        args: list[Token] = []
        if i < len(tokens) and tokens[i].type == "LPAREN":
            end = closing(tokens, i)
            args = tokens[i + 1:end]
            i = end + 1
        if t.type != "ID":
            raise FrontendError(t.location, f"'{t.value}' is not an attribute", "attributes are names with arguments")
        name = plain_name(t.value)
        if name in REFUSED:
            raise FrontendError(t.location, f"attribute '{name}' is not supported", REFUSED[name])
        if name not in WITHOUT_MEANING:
            found.append((Token("ID", name, t.lineno, t.column, t.filename), args))
    return found


def closing(tokens: list[Token], opening: int) -> int:
    """The index of the parenthesis that closes the one at `opening`."""
    level = 0
    for i in range(opening, len(tokens)):
        level += {"LPAREN": 1, "RPAREN": -1}.get(tokens[i].type, 0)
        if level == 0:
            return i
    raise FrontendError(tokens[opening].location, "'(' is never closed", "close it with )")


def plain_name(name: str) -> str:
    if len(name) > 4 and name.startswith("__") and name.endswith("__"):
        return name[2:-2]
    return name


def as_tokens(attributes: list[tuple[Token, list[Token]]], namespace: str = "gnu") -> list[Token]:
    """`[[namespace::name(args), ...]]` for pycparser, standing where the first attribute stands."""
    first = attributes[0][0]
    out = [Token("ATTRIBUTE_BEGIN", "[[", first.lineno, first.column, first.filename)]
    for i, (name, args) in enumerate(attributes):
        if i:
            out.append(Token("COMMA", ",", name.lineno, name.column, name.filename))
        out.append(Token("ID", namespace, name.lineno, name.column, name.filename))
        out.append(Token("COLONCOLON", "::", name.lineno, name.column, name.filename))
        out.append(name)
        if args:
            out.append(Token("ATTRIBUTE_ARGUMENTS", spelled(args), name.lineno, name.column, name.filename))
    out.append(Token("ATTRIBUTE_END", "]]", first.lineno, first.column, first.filename))
    return out


def attributes_of(node: c_ast.Node) -> tuple[Attribute, ...]:
    """Attributes of a declaration or of a struct, union or enum, in source order but for those moved to its front."""
    specifiers = list(getattr(node, "attributes", ()))
    if isinstance(node, c_ast.Decl | c_ast.Typedef | c_ast.Typename):
        declarator = node.type
        while isinstance(declarator, c_ast.PtrDecl | c_ast.ArrayDecl | c_ast.FuncDecl | c_ast.TypeDecl):
            specifiers += declarator.attributes
            declarator = declarator.type
    return tuple(
        Attribute(a.name, _arguments(a.arguments), Location(a.coord.file, a.coord.line, a.coord.column or 0))
        for specifier in specifiers for a in specifier.attributes
    )


def cleanup_of(node: c_ast.Node) -> str | None:
    """The function that is called with the address of a local variable when its scope ends."""
    if not isinstance(node, c_ast.Decl) or any(s in node.storage for s in ("static", "extern")):
        return None
    return next((a.args[0] for a in attributes_of(node) if a.name == "cleanup" and len(a.args) == 1), None)


def _arguments(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    parts: list[list[Token]] = [[]]
    level = 0
    for t in scan(text, ""):
        level += {"LPAREN": 1, "RPAREN": -1}.get(t.type, 0)
        if t.type == "COMMA" and level == 0:
            parts.append([])
        else:
            parts[-1].append(t)
    return tuple(spelled(p) for p in parts)
