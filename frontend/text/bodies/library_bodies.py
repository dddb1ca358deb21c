"""Which functions of the C library get a body in a program, and the tokens of these bodies.

Only programs with threads and a `main` get them, and only if they call such functions at few places: what a call is replaced by
is inlined like any other function. A function that the program defines itself keeps its own meaning, and formats that are no
constants, or print floating-point numbers, stay calls of the library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import cache
from pathlib import Path

from frontend.program import COPIED, IN_LIBRARY, DataModel
from frontend.records import dataclass
from frontend.text.bodies.printed import PRINTERS, format_of, printer
from frontend.text.cursor import made
from frontend.text.tokens import Token, scan

_SOURCE = Path(__file__).resolve().parents[2] / "include" / "circ_bodies.h"
_CREATES = frozenset({"pthread_create", "thrd_create"})
MOST_CALLS = 60
"""Places in a program where functions with bodies are called."""
_NAMED = re.compile(r"^(?:__attribute__\(\(weak\)\) |static )[^\n(]*?(\w+)\(", re.MULTILINE)
_OWN = "__circ_"
_INSTEAD = {"fgets": "__circ_fgets"}
"""Functions whose calls become calls of others."""
_COPIES = "strdup"
"""What `strdup(s)` gives is filled with what `s` points to, at all calls or at none: `__circ_copied(strdup(s), s)`."""
_PLAIN = frozenset({"ID", "ARROW", "PERIOD", "LBRACKET", "RBRACKET", "INT_CONST_DEC", "STRING_LITERAL"})
"""Tokens of an argument that may be evaluated twice."""
_BEFORE_CALL = frozenset({"return", "else", "do", "sizeof"})
_OPEN = {"LPAREN": 1, "LBRACKET": 1, "LBRACE": 1, "RPAREN": -1, "RBRACKET": -1, "RBRACE": -1}


@dataclass(frozen=True, slots=True)
class _Named:
    """Where a name stands in front of a bracket; `call` if it is called there, else the function is declared or defined."""

    at: int
    call: bool
    defined: bool


def with_bodies(files: Sequence[list[Token]], model: DataModel) -> list[list[Token]]:
    """The tokens of a program's files, with bodies for the functions on strings that they call, each in one of them."""
    words = frozenset(t.value for tokens in files for t in tokens if t.type == "ID")
    known = (_texts().keys() | _INSTEAD.keys() | PRINTERS.keys() | {_COPIES}) & words
    if "main" not in words or words.isdisjoint(_CREATES) or not known:
        return list(files)
    named = [list(_names(tokens, known)) for tokens in files]
    if sum(name.call for names in named for name in names) > MOST_CALLS:
        return list(files)
    defined = {tokens[n.at].value for tokens, names in zip(files, named, strict=True) for n in names if n.defined}
    if not all(_is_plain(tokens, n.at) for tokens, names in zip(files, named, strict=True) for n in names
               if n.call and tokens[n.at].value == _COPIES):
        defined.add(_COPIES)
    bodies = _Bodies(defined, model)
    return [bodies.given(tokens, [n.at for n in names if n.call and tokens[n.at].value not in defined])
            for tokens, names in zip(files, named, strict=True)]


@cache
def _texts() -> dict[str, str]:
    """The text of each function, by its name."""
    found = {}
    for paragraph in re.split(r"\n(?=/\*|__attribute__|static )", _SOURCE.read_text(encoding="ascii")):
        name = _NAMED.search(paragraph)
        if name is not None:
            found[name[1]] = paragraph[name.start():]
    return found


def _names(tokens: list[Token], known: Set[str]) -> Iterator[_Named]:
    """Where one of the known names stands in front of a bracket."""
    level = 0
    for at, token in enumerate(tokens[:-1]):
        if token.type in ("LBRACE", "RBRACE"):
            level += _OPEN[token.type]
        elif token.type == "ID" and token.value in known and tokens[at + 1].type == "LPAREN":
            before = tokens[at - 1] if at else token
            typed = before.type in ("ARROW", "PERIOD") or (before.type == "ID" and before.value not in _BEFORE_CALL)
            end = _closing(tokens, at + 1) + 1 if not level else len(tokens)
            yield _Named(at, level > 0 and not typed, end < len(tokens) and tokens[end].type == "LBRACE")


def _is_plain(tokens: list[Token], at: int) -> bool:
    """Whether the arguments of a call may be evaluated twice."""
    return all(t.type in _PLAIN for t in tokens[at + 2:_closing(tokens, at + 1)])


def _closing(tokens: list[Token], opening: int) -> int:
    """Where the bracket that opens there is closed."""
    level = 0
    for at in range(opening, len(tokens)):
        level += _OPEN.get(tokens[at].type, 0)
        if level == 0:
            return at
    return len(tokens)


class _Bodies:
    """The bodies that some file has by now: other files call them there."""

    def __init__(self, defined: Set[str], model: DataModel) -> None:
        self._defined = defined
        self._size = "unsigned long" if model.pointer_size == model.long_size > model.int_size else "unsigned int"
        self._given: set[str] = set()

    def given(self, tokens: list[Token], calls: Sequence[int]) -> list[Token]:
        """The tokens of a file with bodies for what it calls at these places."""
        changed: dict[int, list[Token]] = {}
        texts: dict[str, str] = {}
        printers: dict[tuple[str, str, int], str] = {}
        for at in calls:
            name = tokens[at].value
            if name == _COPIES:
                self._need(COPIED, texts)
                end = _closing(tokens, at + 1)
                changed[at] = made(tokens[at], COPIED, "(", _COPIES)
                changed[end] = made(tokens[end], ")", ",", tokens[at + 2:end], ")")
            elif name in PRINTERS:
                function = self._printer(tokens, at, printers, texts)
                if function is not None:
                    changed[at] = made(tokens[at], function)
            else:
                if name in _INSTEAD:
                    changed[at] = made(tokens[at], _INSTEAD[name])
                self._need(_INSTEAD.get(name, name), texts)
        if not texts:
            return tokens
        code = "\n".join(texts.values()).replace("__SIZE_TYPE__", self._size)
        return [*(t for n, token in enumerate(tokens) for t in changed.get(n, (token,))),
                *scan(code, IN_LIBRARY, newlines=False)]

    def _need(self, name: str, texts: dict[str, str]) -> None:
        """Notes a function and what it calls, callees first; those with an underscore are each file's own."""
        own = name.startswith(_OWN)
        if name in texts or name in self._defined or (not own and name in self._given):
            return
        body = _texts()[name]
        for callee in dict.fromkeys(re.findall(r"\b\w+(?=\()", body)):
            if callee.startswith(_OWN) and callee in _texts() and callee != name:
                self._need(callee, texts)
        texts[name] = body
        self._given.add(name)

    def _printer(self, tokens: list[Token], at: int, printers: dict[tuple[str, str, int], str],
                 texts: dict[str, str]) -> str | None:
        """The function that prints as the call's format says; None if the format does not tell."""
        name = tokens[at].value
        arguments = list(_arguments(tokens, at + 1))
        position = PRINTERS[name]
        text = format_of(arguments[position]) if position < len(arguments) else None
        if text is None:
            return None
        count = len(arguments) - position - 1
        key = name, text, count
        if key not in printers:
            function = f"{_OWN}{name}_{len(printers) + 1}"
            body = printer(function, name, text, count)
            if body is None:
                return None
            for callee in ("__circ_put", "__circ_put_text", "__circ_put_number"):
                if callee + "(" in body:
                    self._need(callee, texts)
            texts[function] = body
            printers[key] = function
        return printers[key]


def _arguments(tokens: list[Token], opening: int) -> Iterator[list[Token]]:
    """The arguments of the call whose bracket opens there."""
    end, level, begin = _closing(tokens, opening), 0, opening + 1
    for at in range(opening, end):
        level += _OPEN.get(tokens[at].type, 0)
        if tokens[at].type == "COMMA" and level == 1:
            yield tokens[begin:at]
            begin = at + 1
    if begin < end:
        yield tokens[begin:end]
