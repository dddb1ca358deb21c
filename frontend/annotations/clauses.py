"""Annotations (`//@ ...`, `/*@ ... */`) as clauses: what kind each is, where it belongs, and the tokens of its formula.

    //@ assumes e;   //@ for f, g: assumes e;   //@ invariant e;   //@ loop invariant e;
    //@ requires e;  //@ ensures e;             //@ atomic ensures e;
    //@ ghost owner = \\tid at f: 3, 4 if e, g: 7;

A clause ends with `;` and may go on in the next comment. Every token knows its line and column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from frontend.annotations.attached import Clause, ClauseKind, ClauseToken
from frontend.program import FrontendError, Location
from frontend.text.tokens import Annotation

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\f\v]+|//[^\n]*|\\\n)|(?P<line>\n[ \t]*@?)"
    r"|(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|[0-9]+[uUlL]*)"
    r"|(?P<special>\\[A-Za-z_]\w*)"
    r"|(?P<name>[A-Za-z_]\w*(?:#\d+)?(?:::%?\w+(?:#\d+)?)*(?:\.[A-Za-z_]\w*)*)"
    r"|(?P<op><==>|==>|&&|\|\||<<|>>|[<>=!]=|[-+*/%&|^~!<>()?:\[\],';=])")

_KINDS: tuple[tuple[tuple[str, ...], ClauseKind], ...] = (
    (("loop", "invariant"), ClauseKind.LOOP), (("atomic", "ensures"), ClauseKind.ATOMIC), (("assumes",), ClauseKind.ASSUMES),
    (("global", "invariant"), ClauseKind.INVARIANT), (("invariant",), ClauseKind.INVARIANT), (("requires",), ClauseKind.REQUIRES),
    (("ensures",), ClauseKind.ENSURES), (("ghost",), ClauseKind.GHOST))
_HINT = "one of " + ", ".join(k.value for k in ClauseKind)
_ENDS_WITH = "every clause ends with ';'"


def clauses(annotations: Sequence[Annotation]) -> tuple[Clause, ...]:
    """The clauses of a file in the order of the text; raises FrontendError at the place of what is wrong."""
    found: list[Clause] = []
    pending: list[ClauseToken] = []
    last: Location | None = None
    for annotation in annotations:
        if not annotation.text.startswith(("//@", "/*@")):
            continue
        if pending and last is not None and (annotation.location.file != last.file or annotation.location.line != last.line + 1):
            raise FrontendError(pending[-1].location, "the annotation does not end", _ENDS_WITH)
        for word in _words(annotation):
            if word.text == ";":
                found.append(_clause(pending, word.location))
                pending = []
            else:
                pending.append(word)
        last = annotation.location
    if pending:
        raise FrontendError(pending[-1].location, "the annotation does not end", _ENDS_WITH)
    return tuple(found)


def _words(annotation: Annotation) -> Iterator[ClauseToken]:
    text, at = annotation.text, 3
    end = len(text) - 2 if text.startswith("/*") else len(text)
    macros = dict(annotation.macros)
    line, begin = annotation.location.line, 1 - annotation.location.column
    while at < end:
        m = _TOKEN.match(text, at, end)
        here = Location(annotation.location.file, line, at - begin + 1)
        if m is None:
            if text[at] == "@" and not text[at + 1:end].strip():
                return  # `/*@ ... @*/`
            raise FrontendError(here, f"unexpected '{text[at]}' in an annotation",
                                "C operators, ', \\tid, ==> and <==> may stand here")
        if m["line"] is not None or m[0] == "\\\n":
            line += 1
            begin = m.start() + m[0].index("\n") + 1
        elif m["space"] is None:
            assert m.lastgroup is not None
            if m[0] in macros:
                yield from _expanded(m[0], macros[m[0]], here)
            else:
                yield ClauseToken(m.lastgroup, m[0], here)
        at = m.end()


def _expanded(name: str, body: str, here: Location) -> Iterator[ClauseToken]:
    """What a macro stands for, in parentheses."""
    text, at = f"({body})", 0
    while at < len(text):
        m = _TOKEN.match(text, at)
        if m is None or m.lastgroup is None:
            raise FrontendError(here, f"the macro '{name}' is no expression that may stand in an annotation",
                                f"it stands for {body}")
        if m["space"] is None:
            yield ClauseToken(m.lastgroup, m[0], here)
        at = m.end()


def _clause(words: list[ClauseToken], end: Location) -> Clause:
    if not words:
        raise FrontendError(end, "an annotation without content", _HINT)
    first = words[0].location
    functions: tuple[str, ...] = ()
    if words[0].text == "for":
        words, functions = _functions(words)
    texts = tuple(w.text for w in words)
    for head, kind in _KINDS:
        if texts[:len(head)] == head:
            if len(words) == len(head):
                raise FrontendError(end, f"'{kind.value}' without a formula", "write it before the ';'")
            if functions and kind is not ClauseKind.ASSUMES:
                raise FrontendError(first, f"'for' cannot stand before '{kind.value}'", "only assumptions differ between threads")
            return Clause(kind, tuple(words[len(head):]), first, end, functions)
    place, shown = (words[0].location, words[0].text) if words else (end, "")
    raise FrontendError(place, f"unknown annotation '{shown}'", _HINT)


def _functions(words: list[ClauseToken]) -> tuple[list[ClauseToken], tuple[str, ...]]:
    names: list[str] = []
    at = 1
    while at + 1 < len(words) and words[at].kind == "name" and words[at + 1].text in (",", ":"):
        names.append(words[at].text)
        at += 2
        if words[at - 1].text == ":":
            return words[at:], tuple(names)
    raise FrontendError(words[0].location, "'for' needs names of thread functions and ':'", "//@ for f, g: assumes e;")
