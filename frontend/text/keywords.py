"""C's words and those of its dialects, as the token types of pycparser's parser."""

from __future__ import annotations

import re

from frontend.program import FrontendError
from frontend.text.tokens import Token

KEYWORDS: dict[str, tuple[str, str]] = {
    word: (word.upper(), word)
    for word in (
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
        "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof", "static",
        "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "offsetof", "_Bool", "_Complex",
        "_Generic", "_Noreturn", "_Thread_local", "_Static_assert", "_Atomic", "_Alignof", "_Alignas", "__int128",
        "__builtin_va_arg",
    )
}
KEYWORDS |= {
    "__const": ("CONST", "const"), "__const__": ("CONST", "const"),
    "__volatile": ("VOLATILE", "volatile"), "__volatile__": ("VOLATILE", "volatile"),
    "__restrict": ("RESTRICT", "restrict"), "__restrict__": ("RESTRICT", "restrict"),
    "__inline": ("INLINE", "inline"), "__inline__": ("INLINE", "inline"),
    "__signed": ("SIGNED", "signed"), "__signed__": ("SIGNED", "signed"),
    "__complex": ("_COMPLEX", "_Complex"), "__complex__": ("_COMPLEX", "_Complex"),
    "__thread": ("_THREAD_LOCAL", "_Thread_local"),
    "__typeof": ("TYPEOF", "typeof"), "__typeof__": ("TYPEOF", "typeof"),
    "__auto_type": ("AUTO", "auto"),
    "__builtin_offsetof": ("OFFSETOF", "offsetof"),
    "__builtin_va_list": ("VOID", "__builtin_va_list"),  # parses as a simple type under its own name
    "_BitInt": ("_BITINT", "_BitInt"),
}

SOFT_KEYWORDS: dict[str, tuple[str, str]] = {
    "bool": ("_BOOL", "_Bool"), "true": ("INT_CONST_DEC", "1"), "false": ("INT_CONST_DEC", "0"),
    "nullptr": ("INT_CONST_DEC", "0"), "typeof": ("TYPEOF", "typeof"), "typeof_unqual": ("TYPEOF_UNQUAL", "typeof_unqual"),
    "static_assert": ("_STATIC_ASSERT", "_Static_assert"), "thread_local": ("_THREAD_LOCAL", "_Thread_local"),
    "alignas": ("_ALIGNAS", "_Alignas"), "alignof": ("_ALIGNOF", "_Alignof"), "constexpr": ("CONST", "const"),
    "_Float16": ("FLOAT", "float"), "_Float32": ("FLOAT", "float"), "_Float32x": ("DOUBLE", "double"),
    "_Float64": ("DOUBLE", "double"), "_Decimal32": ("FLOAT", "float"), "_Decimal64": ("DOUBLE", "double"),
}
"""Words that only some dialects reserve: keywords unless the file declares them as its own names."""

LONG_DOUBLES = frozenset({"_Float64x", "_Float128", "__float128", "__float80", "__ibm128", "_Decimal128"})
"""Words for `long double`, which is two tokens."""

WIDE_INTEGERS = {"__int128_t": ("__int128",), "__uint128_t": ("unsigned", "__int128")}

NOT_MODELLED = "__circ_not_modelled"
"""What stands for a body that cannot be read; see `frontend.text.parse`."""
LABEL_ADDRESS, COMPUTED_GOTO, ASM_GOTO = "__circ_label", "__circ_goto", "__circ_asm_goto"
"""What `&&label`, `goto *value;` and assembly that may jump become calls of; see `frontend.text.parse`."""
ASM = frozenset({"asm", "__asm", "__asm__"})
ATTRIBUTE = frozenset({"__attribute__", "__attribute", "__declspec"})
NO_MEANING = frozenset({"__extension__", "__forceinline", "__flash", "__memx", "__cdecl", "__stdcall"})

CONTEXTUAL = frozenset({"atomic", "post", "norace", "asm", *SOFT_KEYWORDS, *LONG_DOUBLES})
"""What a file may also declare as an ordinary name."""

CONSTANT_TYPES = frozenset({
    "INT_CONST_DEC", "INT_CONST_OCT", "INT_CONST_HEX", "INT_CONST_BIN", "INT_CONST_CHAR", "FLOAT_CONST", "HEX_FLOAT_CONST",
    "CHAR_CONST", "WCHAR_CONST", "U8CHAR_CONST", "U16CHAR_CONST", "U32CHAR_CONST",
})

_INTEGER = re.compile(r"(?:(0[xX][0-9a-fA-F]+)|(0[bB][01]+)|(0[0-7]+)|([0-9]+))([uU]?(?:l|L|ll|LL)?|(?:l|L|ll|LL)[uU])(?:wb|WB)?")
_FLOAT = re.compile(
    r"((?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)"
    r"[pP][+-]?[0-9]+)(?:([fFlL]?)|[fF](?:16|32x?|64x?|128x?)|[qQwW]|d[fdl]|D[FDL]|bf16|BF16)"
)


def is_imaginary(token: Token) -> bool:
    """Whether the number is an imaginary one of GNU C, such as `2.0if`."""
    return token.value[-1] in "iIjJ" or (token.value[-1] in "fFlL" and token.value[-2:-1] in "iIjJ" and len(token.value) > 2)


def classify_number(token: Token) -> None:
    """Gives a preprocessing number its type and a spelling that pycparser knows; raises FrontendError if it is no number."""
    text = token.value.replace("'", "")
    if m := _INTEGER.fullmatch(text):
        if m[4] and len(m[4]) > 1 and m[4][0] == "0":
            raise FrontendError(token.location, f"'{token.value}' is not an octal constant", "octal digits are 0 to 7")
        token.type = "INT_CONST_" + ("HEX" if m[1] else "BIN" if m[2] else "OCT" if m[3] else "DEC")
        token.value = text.removesuffix("wb").removesuffix("WB") if text[:2] not in ("0x", "0X") else text
    elif m := _FLOAT.fullmatch(text):
        token.type = "HEX_FLOAT_CONST" if text[:2] in ("0x", "0X") else "FLOAT_CONST"
        token.value = m[1] + (m[2] or "")
    else:
        raise FrontendError(token.location, f"'{token.value}' is not a number of C", "check its digits and suffix")


# --------------------------------------------------------------------------------------------------- names of the file's own
_TYPE_WORDS = frozenset({
    "char", "short", "int", "long", "signed", "unsigned", "float", "double", "void", "_Bool", "__signed__", "__signed",
})
_NOT_TYPES = frozenset({
    "return", "case", "goto", "else", "do", "sizeof", "const", "volatile", "static", "extern", "register", "inline", "restrict",
    "typedef", "struct", "union", "enum", "__const", "__volatile__", "__restrict", "__inline", "__extension__", "_Atomic",
    "__inline__", "__attribute__", "_Thread_local", "__thread", "auto", "constexpr", "thread_local", "atomic", "post",
})
_AFTER_NAME = frozenset({"SEMI", "COMMA", "EQUALS", "LBRACKET", "RPAREN"})


def declared_names(tokens: list[Token], words: frozenset[str]) -> frozenset[str]:
    """Those of `words` that appear as a declared name: after a type (`typedef unsigned char bool;`) or as an enumerator."""
    wanted = words.intersection(t.value for t in tokens)
    if not wanted:
        return frozenset()
    declared: set[str] = set()
    enums: list[bool] = []
    for i, t in enumerate(tokens):
        if t.type == "LBRACE":
            enums.append(_is_enum(tokens, i))
        elif t.type == "RBRACE":
            if enums:
                enums.pop()
        elif t.type == "ID" and t.value in wanted and 0 < i < len(tokens) - 1:
            before, after = tokens[i - 1], tokens[i + 1]
            behind_type = before.value in _TYPE_WORDS or before.type == "RBRACE" or (
                before.type == "ID" and before.value not in _NOT_TYPES and before.value not in wanted
            )
            listed = before.type in ("LBRACE", "COMMA") and after.type in ("COMMA", "EQUALS", "RBRACE")
            if (behind_type and after.type in _AFTER_NAME) or (enums and enums[-1] and listed):
                declared.add(t.value)
    return frozenset(declared)


def _is_enum(tokens: list[Token], brace: int) -> bool:
    return any(tokens[k].value == "enum" for k in range(max(0, brace - 2), brace))
