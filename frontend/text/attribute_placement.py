"""Where attributes go: GNU C allows them in more places than pycparser's `[[...]]`; and `mode` and `#pragma pack`."""

from __future__ import annotations

import re

from frontend.program import FrontendError
from frontend.text.attributes import as_tokens, parse_attributes, plain_name
from frontend.text.cursor import Cursor, made
from frontend.text.keywords import ASM, ATTRIBUTE, KEYWORDS
from frontend.text.macros import spelled
from frontend.text.predefined import signed_type
from frontend.text.tokens import Token

DECLARATOR_ENDS = frozenset({"ID", "RPAREN", "RBRACKET", "ATTRIBUTE_END"})
_AFTER_DECLARATOR = frozenset({"SEMI", "COMMA", "EQUALS", "LBRACE", "COLON"})
_MODES = {"QI": 8, "byte": 8, "HI": 16, "SI": 32, "DI": 64, "TI": 128}
_FLOAT_MODES = {"HF": ("float",), "SF": ("float",), "DF": ("double",), "XF": ("long", "double"), "TF": ("long", "double")}
_PACK = re.compile(r"pack\s*\(\s*(?:(push|pop)\s*,?\s*)?(?:[A-Za-z_]\w*\s*,?\s*)?([0-9]+)?\s*\)")


def attribute(c: Cursor, token: Token) -> None:
    """An attribute specifier that `token` opens: what may carry meaning goes where pycparser keeps it."""
    found = _specifiers(c, token)
    for name, args in found:
        if name.value == "mode":
            _mode(c, token, plain_name(spelled(args)))
    found = [a for a in found if a[0].value != "mode"]
    # In parentheses (parameters, casts) and enumerators no attribute that is left changes anything, but for a variable of a loop.
    if found and (not c.stack or c.stack[-1].kind in ("block", "record")):
        _place(c, as_tokens(found))
    elif kept := [a for a in found if a[0].value == "cleanup"]:
        if c.previous not in DECLARATOR_ENDS or c.next().type not in _AFTER_DECLARATOR:
            raise FrontendError(token.location, "attribute 'cleanup' in front of a variable in parentheses",
                                "write it behind the variable")
        c.out += as_tokens(kept)


def tagged(c: Cursor, token: Token) -> None:
    """`struct S {`: the tag is a name even if it is a keyword elsewhere, and attributes go behind the keyword."""
    token.type = token.value.upper()
    tag = len(c.out)
    c.out.append(token)
    if _next_is_attribute(c) and (found := _specifiers(c, c.todo.pop())):
        c.insert(tag + 1, as_tokens(found))
    if c.next().type == "ID" and c.next().value not in ATTRIBUTE:
        c.out.append(c.todo.pop())
        if c.next(1).type == "LPAREN" and _next_is_attribute(c):
            found = _specifiers(c, c.todo.pop())
            if found and c.next().type == "LBRACE":
                c.insert(tag + 1, as_tokens(found))
            elif found and (not c.stack or c.stack[-1].kind in ("block", "record")):
                _place(c, as_tokens(found))
    if c.next().type == "LBRACE":
        if c.pack[-1] and token.type != "ENUM":
            name = Token("ID", "pack", token.lineno, token.column, token.filename)
            c.insert(tag + 1, as_tokens([(name, made(token, c.pack[-1]))]))
        c.enter(c.todo.pop(), "enum" if token.type == "ENUM" else "record", tag)
    else:
        c.typed_enum = token.type == "ENUM" and c.next().type == "COLON"


def pragma(c: Cursor, token: Token) -> None:
    """A `PRAGMA` token: `pack` is obeyed, OpenMP is an assumption, the others change nothing."""
    if m := _PACK.match(token.value):
        if m[1] == "push":
            c.pack.append(m[2] or c.pack[-1])
        elif m[1] == "pop":
            if len(c.pack) > 1:
                c.pack.pop()
        else:
            c.pack[-1] = m[2] or ""
    elif token.value.startswith("omp"):
        c.assumptions.append((f"#pragma {token.value} has no effect", token.location))


def _next_is_attribute(c: Cursor) -> bool:
    return c.next().value in ATTRIBUTE or (c.next().type == c.next(1).type == "LBRACKET")


def _specifiers(c: Cursor, token: Token) -> list[tuple[Token, list[Token]]]:
    """The attributes of the specifier that `token` opens and of all that follow it directly."""
    found = _specifier(c, token)
    while _next_is_attribute(c):
        found += _specifier(c, c.todo.pop())
    return found


def _specifier(c: Cursor, token: Token) -> list[tuple[Token, list[Token]]]:
    """The attributes of `__attribute__((...))`, `__declspec(...)` or `[[...]]`, taken from the input."""
    if token.type == "LBRACKET":
        inside: list[Token] = []
        c.todo.pop()
        while len(c.todo) > 1 and not (c.next().type == c.next(1).type == "RBRACKET"):
            inside.append(c.todo.pop())
        if len(c.todo) < 2:
            raise FrontendError(token.location, "'[[' is never closed", "close it with ]]")
        del c.todo[-2:]
    else:
        inside = c.group(token)
        if token.value != "__declspec" and inside and inside[0].type == "LPAREN":
            inside = inside[1:-1]
    return parse_attributes(inside)


def _place(c: Cursor, tokens: list[Token]) -> None:
    """Behind the struct keyword, behind the declarator, or in front of the declaration."""
    following = c.next()
    if c.previous == "RBRACE" and c.closed_tag >= 0:
        c.insert(c.closed_tag + 1, tokens)
    elif c.at_statement() and following.type == "SEMI":
        return
    elif c.bit_field >= 0 and all(t.type != "COMMA" for t in c.out[c.bit_field:]):
        c.insert(c.bit_field, tokens)
    elif c.previous == "COMMA":
        c.for_next_name = tokens
    elif c.previous in DECLARATOR_ENDS and (following.type in _AFTER_DECLARATOR or following.value in ASM):
        c.out += tokens
    else:
        c.insert(c.start, tokens)


def _mode(c: Cursor, token: Token, mode: str) -> None:
    """`int x __attribute__((mode(DI)))`: another width, by rewriting the specifiers already put out."""
    if mode in _FLOAT_MODES:
        base, words = "FLOAT", _FLOAT_MODES[mode]
    else:
        bits = _MODES.get(mode, 8 * c.model.pointer_size if mode in ("word", "pointer", "unwind_word") else 0)
        base = "INT"
        words = ("__int128",) if bits == 128 else tuple(signed_type(c.model, bits).split()) if bits else ()
        if bits == 8 and not any(t.type in ("UNSIGNED", "SIGNED") for t in c.out[c.start:]):
            words = ("signed", "char")
    at = next((i for i in range(c.start, len(c.out)) if c.out[i].type == base), None)
    if at is None or not words or (c.stack and c.stack[-1].kind not in ("block", "record")):
        raise FrontendError(token.location, f"mode({mode}) is not supported here", "use a type of stdint.h")
    place = c.out[at]
    place.type, place.value = KEYWORDS[words[-1]]
    c.insert(at, [Token(*KEYWORDS[w], place.lineno, place.column, place.filename) for w in words[:-1]])
