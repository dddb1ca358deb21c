"""The token pass in front of pycparser: GNU C, C23 and nesC turned into what its parser reads.

One pass over the tokens with a stack of open brackets; `frontend.text.parse` says how each construct appears in the AST.
Nothing is dropped that changes what the program does: it is rewritten, kept as an attribute, recorded as an assumption
or an annotation, or refused with its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from frontend.program import DataModel, FrontendError, Location
from frontend.records import dataclass
from frontend.text.attribute_placement import DECLARATOR_ENDS, attribute, pragma, tagged
from frontend.text.attributes import ASM_LABEL, as_tokens, closing, plain_name
from frontend.text.cursor import CONTROL, Cursor, made
from frontend.text.keywords import (
    ASM,
    ASM_GOTO,
    ATTRIBUTE,
    COMPUTED_GOTO,
    CONSTANT_TYPES,
    CONTEXTUAL,
    KEYWORDS,
    LABEL_ADDRESS,
    LONG_DOUBLES,
    NO_MEANING,
    SOFT_KEYWORDS,
    WIDE_INTEGERS,
    classify_number,
    declared_names,
    is_imaginary,
)
from frontend.text.macros import spelled
from frontend.text.tokens import STRING_TYPES, Annotation, Token, bad_literal

TokenRule: TypeAlias = Callable[[Cursor, Token], None]
"""Handles a token that was just taken from the input."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Tokens for pycparser, and what the pass learnt beside them."""

    tokens: list[Token]
    annotations: tuple[Annotation, ...]
    assumptions: tuple[tuple[str, Location], ...]


def rewrite(tokens: list[Token], model: DataModel) -> Rewritten:
    """The tokens that pycparser's parser reads; raises FrontendError for what cannot be expressed so."""
    declared = declared_names(tokens, CONTEXTUAL)
    words = {w: k for w, k in (KEYWORDS | SOFT_KEYWORDS).items() if w not in declared}
    rules = {w: r for w, r in _WORD_RULES.items() if w not in declared}
    end = tokens[-1] if tokens else Token("END", "", 1, 1, "")
    c = Cursor(tokens[::-1], model, Token("END", "", end.lineno, end.column, end.filename))
    todo, out, signs = c.todo, c.out, _SIGN_RULES
    while todo:
        token = todo.pop()
        if token.type == "ID":
            value = token.value
            if (value in words or value in rules) and not (out and out[-1].type in ("PERIOD", "ARROW")):
                if value in rules:
                    rules[value](c, token)
                else:
                    token.type, token.value = words[value]
                    out.append(token)
            elif todo and todo[-1].type == "COLON" and _is_old_designator(c):
                out += made(token, ".", [token], "=")
                todo.pop()
            else:
                out.append(token)
                if c.for_next_name:
                    out += c.for_next_name
                    c.for_next_name = []
        elif token.type in signs:
            signs[token.type](c, token)
        else:
            out.append(token)
    return Rewritten(c.finish(), tuple(c.annotations), tuple(c.assumptions))


# --------------------------------------------------------------------------------------------------- brackets
_OPERAND_ENDS = CONSTANT_TYPES | STRING_TYPES | {"ID", "RPAREN", "RBRACKET", "RBRACE", "PLUSPLUS", "MINUSMINUS"}
_BEFORE_CALL_OR_BODY = CONTROL | {"ID", "RPAREN", "RBRACKET", "TYPEOF", "ATTRIBUTE_END"}


def _open_paren(c: Cursor, token: Token) -> None:
    c.enter(token, "(")


def _open_bracket(c: Cursor, token: Token) -> None:
    if c.next().type == "LBRACKET":
        attribute(c, token)
        return
    may_designate = bool(c.stack) and c.stack[-1].kind == "init"
    c.enter(token, "[")
    if may_designate:
        _range(c, "RBRACKET")


def _open_brace(c: Cursor, token: Token) -> None:
    around = c.stack[-1].kind if c.stack else ""
    compound_literal = c.previous == "RPAREN" and c.before_paren.type not in _BEFORE_CALL_OR_BODY
    if c.typed_enum:
        c.enter(token, "enum")
        c.typed_enum = False
    elif c.previous == "EQUALS" or compound_literal or (around == "init" and c.previous in ("LBRACE", "COMMA")):
        c.enter(token, "init")
    else:
        c.enter(token, "block")


def _close(c: Cursor, token: Token) -> None:
    c.close(token)


def _semicolon(c: Cursor, token: Token) -> None:
    c.out.append(token)
    c.start = len(c.out)
    c.bit_field = c.closed_tag = -1
    c.typed_enum = False
    c.for_next_name = []


# --------------------------------------------------------------------------------------------------- operators
def _colon(c: Cursor, token: Token) -> None:
    c.out.append(token)
    if c.stack:
        top = c.stack[-1]
        if top.questions:
            top.questions -= 1
        elif top.kind == "record":
            c.bit_field = len(c.out) - 1
        elif top.kind == "block":
            c.start = len(c.out)


def _question(c: Cursor, token: Token) -> None:
    c.out.append(token)
    if c.next().type == "COLON":
        c.out += made(token, "__circ_condition")
        c.out.append(c.todo.pop())
    elif c.stack:
        c.stack[-1].questions += 1


def _and_and(c: Cursor, token: Token) -> None:
    if c.previous not in _OPERAND_ENDS:
        label = [c.todo.pop()] if c.next().type == "ID" else []
        c.push(made(token, LABEL_ADDRESS, "(", label, ")"))
        return
    c.out.append(token)


def _number(c: Cursor, token: Token) -> None:
    if is_imaginary(token):  # any value: nothing is known of complex numbers
        c.push(made(token, "__builtin_huge_val", "(", ")"))
        return
    classify_number(token)
    c.out.append(token)


def _stray(c: Cursor, token: Token) -> None:
    if token.type == "BAD":
        raise bad_literal(token)
    raise FrontendError(token.location, f"stray '{token.value}' in the program", "C has no such character here")


def _is_old_designator(c: Cursor) -> bool:
    """Whether `name:` here is GNU's old way to write the designator `.name =`."""
    return bool(c.stack) and c.stack[-1].kind == "init" and not c.stack[-1].questions and c.previous in ("LBRACE", "COMMA")


def _range(c: Cursor, end: str) -> None:
    """Turns `lo ... hi`, up to the `end` token, into `__circ_range(lo, hi)`."""
    level, questions, middle = 0, 0, -1
    for k in range(len(c.todo)):
        t = c.next(k)
        if level == 0 and t.type == end and not questions:
            break
        level += {"LPAREN": 1, "LBRACKET": 1, "RPAREN": -1, "RBRACKET": -1}.get(t.type, 0)
        questions += {"CONDOP": 1, "COLON": -1}.get(t.type, 0) if level == 0 else 0
        if t.type == "ELLIPSIS" and level == 0:
            middle = k
        elif t.type in ("SEMI", "LBRACE", "RBRACE"):
            return
    else:
        return
    if middle >= 0:
        taken = [c.todo.pop() for _ in range(k)]
        c.push(made(taken[middle], "__circ_range", "(", taken[:middle], ",", taken[middle + 1:], ")"))


def _case(c: Cursor, token: Token) -> None:
    token.type = "CASE"
    c.out.append(token)
    _range(c, "COLON")


# --------------------------------------------------------------------------------------------------- types
def _alignof(c: Cursor, token: Token) -> None:
    inside = c.group(token)
    c.out.append(Token("_ALIGNOF", "_Alignof", token.lineno, token.column, token.filename))
    c.push(made(token, "(", "__typeof__", "(", inside, ")", ")"))


def _types_compatible(c: Cursor, token: Token) -> None:
    inside = c.group(token)
    level, comma = 0, -1
    for i, t in enumerate(inside):
        level += {"LPAREN": 1, "RPAREN": -1}.get(t.type, 0)
        if t.type == "COMMA" and level == 0:
            comma = i
    c.out.append(token)
    c.push(made(token, "(", "sizeof", "(", inside[:comma], ")", ",", "sizeof", "(", inside[comma + 1:], ")", ")"))


def _long_double(c: Cursor, token: Token) -> None:
    c.push(made(token, "long", "double"))


def _complex_part(c: Cursor, token: Token) -> None:
    """`__real__ z`: a number of which nothing is known, as of any that is computed from complex ones."""
    c.push(made(token, "(", "double", ")"))


def _wide_integer(c: Cursor, token: Token) -> None:
    c.push(made(token, *WIDE_INTEGERS[token.value]))


# --------------------------------------------------------------------------------------------------- statements
def _mark(c: Cursor, token: Token, name: str) -> None:
    """Marks the statement that follows with our own attribute."""
    c.out += as_tokens([(Token("ID", name, token.lineno, token.column, token.filename), [])], "circ")


def _atomic(c: Cursor, token: Token) -> None:
    """nesC's `atomic` takes any statement, mostly a block."""
    if c.stack and c.at_statement() and c.next().type in ("LBRACE", "ID", "TIMES", "PLUSPLUS", "MINUSMINUS"):
        _mark(c, token, "atomic")
    else:
        c.out.append(token)


def _critical(c: Cursor, token: Token) -> None:
    if c.next().type != "LBRACE":
        raise FrontendError(token.location, "circ_critical takes a block", "circ_critical { ... }")
    _mark(c, token, "critical")


def _post(c: Cursor, token: Token) -> None:
    """nesC's `post f()` is the call `TOS_post(f)`."""
    calls = c.next().type == "ID" and c.next(1).type == "LPAREN" and c.next(2).type == "RPAREN"
    if calls and c.previous not in ("ID", "TIMES"):
        task = c.todo.pop()
        token.value = "TOS_post"
        c.push([c.todo.pop(), task])
    c.out.append(token)


def _norace(c: Cursor, token: Token) -> None:
    """nesC's `norace` is an attribute of what is declared."""
    c.push(made(token, "__attribute__", "(", "(", "norace", ")", ")"))


def _interrupt(c: Cursor, token: Token) -> None:
    """`__interrupt` of the compilers for small controllers: a handler that is entered with interrupts off.

    With a number, `__interrupt(1)` or `__interrupt 1`, it is SDCC's, whose handlers may have priorities.
    """
    number = c.group(token) if c.next().type == "LPAREN" else [c.todo.pop()] if c.next().value.isdigit() else []
    c.push(made(token, "__attribute__", "(", "(", *(("interrupt", "(", '"ranked"', ")") if number else ("signal",)), ")", ")"))


def _goto(c: Cursor, token: Token) -> None:
    if c.next().type == "TIMES":
        c.todo.pop()
        value: list[Token] = []
        while c.todo and c.next().type != "SEMI":
            value.append(c.todo.pop())
        c.push(made(token, COMPUTED_GOTO, "(", value, ")"))
        return
    token.type = "GOTO"
    c.out.append(token)


def _local_labels(c: Cursor, token: Token) -> None:
    while c.todo and c.todo.pop().type != "SEMI":
        pass


def _nothing(c: Cursor, token: Token) -> None:
    pass


def _file_annotation(c: Cursor, token: Token) -> None:
    if c.stack and c.at_statement() and token.value != "circ_invariant":
        raise FrontendError(token.location, f"{token.value} inside a function", "it is about globals: write it at file level")
    if c.stack or c.previous not in ("SEMI", "RBRACE"):
        c.out.append(token)
    else:
        c.annotations.append(Annotation(f"{token.value}({spelled(c.group(token))})", token.location))


def _pragma_operator(c: Cursor, token: Token) -> None:
    text = spelled(c.group(token))
    text = text[text.find('"') + 1:-1].replace('\\"', '"').replace("\\\\", "\\")
    pragma(c, Token("PRAGMA", text, token.lineno, token.column, token.filename))


# --------------------------------------------------------------------------------------------------- assembly
def _asm(c: Cursor, token: Token) -> None:
    qualifiers = []
    while c.next().type == "ID":
        qualifiers.append(plain_name(c.todo.pop().value))
    inside = c.group(token)
    if not c.stack and c.previous in ("SEMI", "RBRACE"):
        c.assumptions.append((f"assembly at file level changes nothing: {spelled(inside)}", token.location))
    elif c.at_statement():
        call, labels = _asm_call(token, inside)
        c.push(made(token, ASM_GOTO, "(", call, ",", labels, ")") if "goto" in qualifiers and labels else call)
    elif c.previous not in DECLARATOR_ENDS:
        raise FrontendError(token.location, "assembly where C has none", "it is a statement, or follows a declarator")
    elif any(t.type == "REGISTER" for t in c.out[c.start:]):
        c.assumptions.append((f"'{c.out[-1].value}' is an object of its own, not the register {spelled(inside)}", token.location))
    elif not c.stack:
        c.push(made(token, "__attribute__", "(", "(", ASM_LABEL, "(", inside, ")", ")", ")"))
    else:
        raise FrontendError(token.location, "an assembler's name for an object in a block", "declare it at file level")


def _asm_call(token: Token, inside: list[Token]) -> tuple[list[Token], list[Token]]:
    """A call with the template, the addresses of the outputs, and the inputs as if they were handed to a function; and labels."""
    sections: list[list[Token]] = [[]]
    level = 0
    for t in inside:
        level += {"LPAREN": 1, "LBRACKET": 1, "RPAREN": -1, "RBRACKET": -1}.get(t.type, 0)
        if t.type == "COLON" and level == 0:
            sections.append([])
        else:
            sections[-1].append(t)
    operands: list[list[list[Token]]] = [[], []]
    names: list[str] = []
    for section, found in zip(sections[1:3], operands, strict=False):
        i, name = 0, ""
        while i < len(section):
            if section[i].type == "LBRACKET":
                name = section[i + 1].value
            elif section[i].type == "LPAREN":
                end = closing(section, i)
                found.append(section[i + 1:end])
                names.append(name)
                i, name = end, ""
            i += 1
    for number, name in enumerate(names):
        for t in sections[0] if name else ():
            t.value = re.sub(rf"%([A-Za-z]?)\[{re.escape(name)}\]", rf"%\g<1>{number}", t.value)
    arguments: list[str | list[Token]] = [sections[0]]
    for operand in operands[0]:
        arguments += [",", "&", "(", operand, ")"]
    if operands[1]:
        arguments += [",", "__circ_inputs"]
        for k, operand in enumerate(operands[1]):
            arguments += ["," if k else "(", "(", operand, ")"]
        arguments.append(")")
    return made(token, "__circ_asm", "(", *arguments, ")"), sections[4] if len(sections) > 4 else []


_WORD_RULES: dict[str, TokenRule] = {
    "struct": tagged, "union": tagged, "enum": tagged, "case": _case, "goto": _goto, "atomic": _atomic, "post": _post,
    **dict.fromkeys(("__real__", "__real", "__imag__", "__imag"), _complex_part), "norace": _norace, "__interrupt": _interrupt,
    "circ_critical": _critical, "__alignof": _alignof, "__alignof__": _alignof, "__label__": _local_labels,
    "_Pragma": _pragma_operator, "__builtin_types_compatible_p": _types_compatible,
    "circ_invariant": _file_annotation, "circ_range": _file_annotation, "circ_exception": _file_annotation,
    **dict.fromkeys(ASM, _asm), **dict.fromkeys(ATTRIBUTE, attribute), **dict.fromkeys(NO_MEANING, _nothing),
    **dict.fromkeys(LONG_DOUBLES, _long_double), **dict.fromkeys(WIDE_INTEGERS, _wide_integer),
}
_SIGN_RULES: dict[str, TokenRule] = {
    "LPAREN": _open_paren, "LBRACKET": _open_bracket, "LBRACE": _open_brace, "RPAREN": _close, "RBRACKET": _close,
    "RBRACE": _close, "SEMI": _semicolon, "COLON": _colon, "CONDOP": _question, "LAND": _and_and, "NUMBER": _number,
    "PRAGMA": pragma, "BAD": _stray, "OTHER": _stray, "HASH": _stray, "DOUBLE_HASH": _stray,
}
