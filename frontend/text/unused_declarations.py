"""Declarations of system headers that nothing uses are not parsed: most of a preprocessed file is such declarations.

The tokens are split at the ends of the declarations of file scope. A declaration of a system header that only declares (a
prototype, a typedef, a struct, an external variable, an inline function) is kept if a name that it may declare is mentioned in
what is kept. Everything else is kept as it is. What is mentioned, and what a declaration may declare, is over-approximated; a
split that goes wrong shows as a syntax error, and then the whole file is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from frontend.text.keywords import ASM, ATTRIBUTE, KEYWORDS, NO_MEANING
from frontend.text.tokens import STRING_TYPES, Token

_OPEN = frozenset({"LPAREN", "LBRACKET", "LBRACE"})
_CLOSE = frozenset({"RPAREN", "RBRACKET", "RBRACE"})
_AFTER_NAME = frozenset({"LPAREN", "LBRACKET", "COMMA", "SEMI", "EQUALS"})
_GROUPED = ASM | ATTRIBUTE
_TAGGED = frozenset({"struct", "union", "enum"})
_PLAIN = frozenset(KEYWORDS) | NO_MEANING | {"inline", "__inline", "__inline__"}
_PARAMETERS = (["ID", "ID"], ["ID", "TIMES"], ["ID", "COMMA"], ["RPAREN", "SEMI"])
"""How a list of parameters may go on behind its bracket; what stands in other brackets is taken for names that are declared."""
_ONLY_DECLARES = frozenset({"typedef", "extern"})
_FOR_INLINING = frozenset({"static", "extern", "inline", "__inline", "__inline__"})
_MATTERS = frozenset({"constructor", "destructor", "__constructor__", "__destructor__", "interrupt", "signal", "used",
                      "__used__"})
"""Words in attributes of what matters though nobody names it."""
_TELLS_WHAT_IT_IS = {
    "pthread_mutex_t": ("pthread_mutex_lock",), "pthread_rwlock_t": ("pthread_rwlock_rdlock",),
    "pthread_cond_t": ("pthread_cond_wait",),
    "pthread_barrier_t": ("pthread_barrier_wait",), "pthread_spinlock_t": ("pthread_spin_lock",), "sem_t": ("sem_wait",),
    "mtx_t": ("mtx_lock",), "cnd_t": ("cnd_wait",)}
"""By a type: the function whose parameter tells that it is a lock, see `TELL_LOCK_TYPES` in `frontend.ir.thread_library`."""
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_NAME_IN_STRING = re.compile(r'"([A-Za-z_$][\w$]*)"')
_BUILTIN = "__builtin_"


def used(tokens: list[Token], system: Sequence[str], texts: Iterable[str]) -> list[Token]:
    """The tokens without unused declarations; `system`: how names of system headers begin, `texts`: what else has names in it."""
    kept: list[bool] = []
    parts = list(_parts(tokens, system))
    by_name: dict[str, list[int]] = {}
    todo: list[str] = [word for text in texts for word in _WORD.findall(text)]
    for number, (start, end, inside) in enumerate(parts):
        declared = _declared(tokens[start:end]) if inside else None
        kept.append(declared is None)
        if declared is None:
            todo += _mentioned(tokens[start:end])
        else:
            for name in declared:
                by_name.setdefault(name, []).append(number)
    if not by_name:
        return tokens
    while todo:
        name = todo.pop()
        todo += _TELLS_WHAT_IT_IS.get(name, ())
        for number in by_name.pop(name, ()):
            if not kept[number]:
                kept[number] = True
                todo += _mentioned(tokens[parts[number][0]:parts[number][1]])
    return [token for keep, (start, end, _) in zip(kept, parts, strict=True) if keep for token in tokens[start:end]]


def _parts(tokens: list[Token], system: Sequence[str]) -> Iterable[tuple[int, int, bool]]:
    """Where the declarations start and end, and whether they stand in system headers."""
    headers: dict[str, bool] = {}
    for name in {t.filename for t in tokens}:
        headers[name] = name.startswith(tuple(system))
    start, position, depth, size = 0, 0, 0, len(tokens)
    before, body, inside = "", False, True
    while position < size:
        token = tokens[position]
        kind = token.type
        inside = inside and headers[token.filename]
        if kind == "ID" and token.value in _GROUPED and depth == 0:
            position = _behind_group(tokens, position)
            continue
        if kind in _OPEN:
            body = body or (kind == "LBRACE" and depth == 0 and before == "RPAREN")
            depth += 1
        elif kind in _CLOSE:
            depth -= 1
        position += 1
        before = kind
        if depth == 0 and (kind == "SEMI" or (kind == "RBRACE" and body) or (kind == "PRAGMA" and position == start + 1)):
            yield start, position, inside
            start, before, body, inside = position, "", False, True
    if start < size:
        yield start, size, False


def _behind_group(tokens: Sequence[Token], position: int) -> int:
    """The position behind a word and the brackets that follow it."""
    position += 1
    while position < len(tokens) and tokens[position].type == "ID":  # asm volatile
        position += 1
    depth = 0
    while position < len(tokens):
        kind = tokens[position].type
        depth += (kind in _OPEN) - (kind in _CLOSE)
        if depth <= 0 and kind not in _CLOSE:
            return position
        position += 1
        if depth == 0:
            return position
    return position


def _mentioned(tokens: Iterable[Token]) -> set[str]:
    """Every name that stands in the tokens; what is built in may mean the function of that name."""
    found = {t.value for t in tokens if t.type == "ID"}
    found |= {m[1] for t in tokens if t.type in STRING_TYPES and (m := _NAME_IN_STRING.fullmatch(t.value))}
    found |= {name.removeprefix(_BUILTIN) for name in found if name.startswith(_BUILTIN)}
    return found


def _declared(tokens: Sequence[Token]) -> set[str] | None:
    """The names that a declaration may declare; None if it does more than to declare them."""
    return None if tokens[0].type == "PRAGMA" else _Declaration(tokens).declared()


class _Declaration:
    """Looks through the tokens of one declaration of file scope."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._tags: set[str] = set()
        """Tags and enumerators."""
        self._names: set[str] = set()
        self._words: set[str] = set()
        """All words outside brackets."""
        self._prototype = self._body = self._starts = self._matters = False

    def declared(self) -> set[str] | None:
        """See `_declared`. The forms that only declare: with `typedef` or `extern`, prototypes, tags alone, inline functions."""
        self._look()
        if self._matters or (self._body and not self._words & _FOR_INLINING):
            return None
        if self._starts and "typedef" not in self._words:
            return None
        only = self._body or self._words & _ONLY_DECLARES or self._prototype or not self._names
        return self._names | self._tags if only else None

    def _look(self) -> None:
        tokens, position, depth, before = self._tokens, 0, 0, ""
        while position < len(tokens):
            token = tokens[position]
            if token.type == "ID" and token.value in _GROUPED:
                after = _behind_group(tokens, position)
                self._matters = self._matters or any(t.value in _MATTERS for t in tokens[position:after])
                position = after
            elif token.type == "ID" and token.value in _TAGGED:
                position, before = self._tag(position + 1), "ID"
            else:
                if depth == 0:
                    self._outside(position, before)
                depth += (token.type in _OPEN) - (token.type in _CLOSE)
                before = token.type
                position += 1

    def _outside(self, position: int, before: str) -> None:
        """A token that stands in no brackets."""
        tokens = self._tokens
        token = tokens[position]
        if token.type == "ID":
            self._words.add(token.value)
            after = self._next(position)
            if token.value not in _PLAIN and after in _AFTER_NAME:
                self._names.add(token.value)
                self._prototype = self._prototype or after == "LPAREN"
        elif token.type == "LPAREN" and [t.type for t in tokens[position + 1:position + 3]] not in _PARAMETERS:
            inner = tokens[position + 1:_behind_group(tokens, position - 1)]  # `(*name)`, `(name)`
            self._names |= {t.value for t in inner if t.type == "ID"} - _PLAIN
        elif token.type == "LBRACE":
            self._body = self._body or before == "RPAREN"
        elif token.type == "EQUALS":
            self._starts = True

    def _tag(self, position: int) -> int:
        """Behind the tag of a struct, union or enum, which is declared if members follow, or nothing; so are enumerators."""
        tokens = self._tokens
        enum = tokens[position - 1].value == "enum"
        position = self._behind_attributes(position)
        if position < len(tokens) and tokens[position].type == "ID":
            if self._next(position) in ("LBRACE", "SEMI"):
                self._tags.add(tokens[position].value)
            position += 1
        if enum and position < len(tokens) and tokens[position].type == "LBRACE":
            end = _behind_group(tokens, position - 1)
            self._tags |= {t.value for b, t in zip(tokens[position:end], tokens[position + 1:end], strict=False)
                           if t.type == "ID" and b.type in ("LBRACE", "COMMA")}
            position = end
        return position

    def _next(self, position: int) -> str:
        """The kind of the next token that is no attribute."""
        position = self._behind_attributes(position + 1)
        return self._tokens[position].type if position < len(self._tokens) else ""

    def _behind_attributes(self, position: int) -> int:
        tokens = self._tokens
        while position < len(tokens) and tokens[position].type == "ID" and tokens[position].value in _GROUPED:
            position = _behind_group(tokens, position)
        return position
