"""Which words that are keywords in some dialects only a file declares as its own names."""

from __future__ import annotations

from frontend.text.tokens import Token

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
