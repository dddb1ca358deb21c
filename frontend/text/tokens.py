"""C text to tokens with the user's coordinates: one compiled regular expression, linear in the text.

Token types are those of pycparser (`ID`, `LPAREN`, ...), since the list ends up in its parser. Some types exist only
on the way there: `NUMBER` (a preprocessing number), `NEWLINE`, `HASH`, `DOUBLE_HASH`, `PRAGMA` (a whole directive),
`ANNOTATION` (a comment that carries meaning), `BAD` (a quote that opens no literal; an error unless it is skipped) and
`OTHER` (a stray character).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from frontend.program import FrontendError, Location
from frontend.records import dataclass


class Token:
    """A token as pycparser's parser reads it, with what the preprocessor needs to know beside it."""

    __slots__ = ("column", "filename", "hide", "lineno", "space", "type", "value")

    def __init__(
        self, type: str, value: str, lineno: int, column: int, filename: str,
        space: bool = True, hide: frozenset[str] = frozenset(),
    ) -> None:
        self.type = type
        self.value = value
        self.lineno = lineno
        self.column = column
        self.filename = filename
        self.space = space
        self.hide = hide

    @property
    def location(self) -> Location:
        return Location(self.filename, self.lineno, self.column)

    def at(self, place: Token) -> Token:
        """The same token, standing where `place` stands."""
        return Token(self.type, self.value, place.lineno, place.column, place.filename, self.space, self.hide)

    def __repr__(self) -> str:
        return f"{self.type}({self.value!r})@{self.lineno}:{self.column}"


@dataclass(frozen=True, slots=True)
class Annotation:
    """A comment that carries meaning (`//@ ...`, `/*@ ... */`, `// circ-...`), or our own attribute, where it stands."""

    text: str
    location: Location
    macros: tuple[tuple[str, str], ...] = ()
    """The names in it that are macros without parameters, and what they stand for."""


PUNCTUATION = {
    "...": "ELLIPSIS", "<<=": "LSHIFTEQUAL", ">>=": "RSHIFTEQUAL", "++": "PLUSPLUS", "--": "MINUSMINUS", "->": "ARROW",
    "&&": "LAND", "||": "LOR", "<<": "LSHIFT", ">>": "RSHIFT", "<=": "LE", ">=": "GE", "==": "EQ", "!=": "NE",
    "*=": "TIMESEQUAL", "/=": "DIVEQUAL", "%=": "MODEQUAL", "+=": "PLUSEQUAL", "-=": "MINUSEQUAL", "&=": "ANDEQUAL",
    "|=": "OREQUAL", "^=": "XOREQUAL", "=": "EQUALS", "+": "PLUS", "-": "MINUS", "*": "TIMES", "/": "DIVIDE", "%": "MOD",
    "|": "OR", "&": "AND", "~": "NOT", "^": "XOR", "!": "LNOT", "<": "LT", ">": "GT", "?": "CONDOP", "(": "LPAREN",
    ")": "RPAREN", "[": "LBRACKET", "]": "RBRACKET", "{": "LBRACE", "}": "RBRACE", ",": "COMMA", ".": "PERIOD", ";": "SEMI",
    ":": "COLON", "##": "DOUBLE_HASH", "#": "HASH",
    "<:": "LBRACKET", ":>": "RBRACKET", "<%": "LBRACE", "%>": "RBRACE", "%:%:": "DOUBLE_HASH", "%:": "HASH",
}
_DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:%:": "##", "%:": "#"}
_STRINGS = {"": "STRING_LITERAL", "L": "WSTRING_LITERAL", "u8": "U8STRING_LITERAL", "u": "U16STRING_LITERAL",
            "U": "U32STRING_LITERAL"}
_CHARS = {"": "CHAR_CONST", "L": "WCHAR_CONST", "u8": "U8CHAR_CONST", "u": "U16CHAR_CONST", "U": "U32CHAR_CONST"}
STRING_TYPES = frozenset(_STRINGS.values())

_SPLICE = r"\\[ \t]*\n"
IDENTIFIER = r"[^\x00-#%-@\[-^`{-\x7f][\w$]*"
"""Begins with a letter, `_`, `$` or what is not ASCII: said as what it does not begin with, which `re` compiles far sooner."""
_SCAN = re.compile(
    rf"[ \t\f\v]*+(?:{_SPLICE}[ \t\f\v]*+)*+(?:"
    rf"(?P<ID>{IDENTIFIER}+(?!['\"]))"
    r"|(?P<SIGN>[(){}\[\],;?~])"  # starts no longer token, and is frequent
    r"|(?P<NEWLINE>\n)"
    r"|(?P<NUMBER>\.?[0-9](?:[eEpP][+-]|[\w.]|'(?=\w))*)"
    rf"|(?P<LINE_COMMENT>//(?:[^\\\n]|{_SPLICE}|\\)*)"
    r"|(?P<COMMENT>/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/)"
    r'|(?P<STRING>(?:u8|[uUL])?"[^"\\\n]*+(?:\\[\s\S][^"\\\n]*+)*+")'
    r"|(?P<CHAR>(?:u8|[uUL])?'(?:[^'\\\n]|\\[\s\S])++')"
    r"|(?P<BAD>/\*|(?:u8|[uUL])?[\"'])"
    r"|(?P<PUNCT>" + "|".join(re.escape(p) for p in sorted(PUNCTUATION, key=lambda p: (-len(p), p))) + r")"
    rf"|(?P<WORD>{IDENTIFIER})"
    r"|(?P<OTHER>.)"
    r"|(?P<END>\Z))"
)
_TIGHT_SPLICE = re.compile(r"(?<=[^\s\\])\\[ \t]*\n(?=\S)")
_REMOVE_SPLICE = re.compile(_SPLICE)
_ANNOTATION = re.compile(r"//@|/\*@|//[ \t]*circ-")
_LINE_MARKER = re.compile(r'[ \t]*#[ \t]*(?:line[ \t]+)?([0-9]{1,18})(?:[ \t]+"((?:[^"\\\n]|\\.)*)"([ \t0-9]*))?[ \t]*(?:\n|\Z)')
_PRAGMA = re.compile(r"[ \t]*#[ \t]*pragma\b([^\n]*)")
_IDENT = re.compile(r"[ \t]*#[ \t]*(?:ident|sccs)\b")
_ESCAPE = re.compile(r"\\(.)")


MAX_NUMBER = 4000
"""Characters of a number; Python refuses to read one of more than 4300 digits."""


def scan(text: str, filename: str, line: int = 1, newlines: bool = True) -> Iterator[Token]:  # noqa: C901 - one case a token
    """All tokens of a source text that starts at `line`, with `newlines` a `NEWLINE` after each of its lines.

    A spliced line (backslash, newline) ends nothing but counts as a line; digraphs become what they stand for; comments and line
    ends count as space, and comments that are annotations are tokens; what is no token of C is `BAD` or `OTHER`, to be told of
    where it is used. Raises FrontendError for a comment without end.
    """
    if "\\" in text and _TIGHT_SPLICE.search(text):
        text = _join_split_words(text)
    line_start, after = 0, -1
    for m in _SCAN.finditer(text):
        kind = m.lastindex
        assert kind is not None
        start, end = m.span(kind)
        if start > after + 1 and "\n" in (gap := text[m.start():start]):  # spliced lines
            line += gap.count("\n")
            line_start = m.start() + gap.rindex("\n") + 1
        if kind in (_ID, _WORD):
            yield Token("ID", m[kind], line, start - line_start + 1, filename, start > after)
            after = end
        elif kind == _SIGN:
            value = m[kind]
            yield Token(PUNCTUATION[value], value, line, start - line_start + 1, filename, start > after)
            after = end
        elif kind == _PUNCT:
            value = m[kind]
            yield Token(PUNCTUATION[value], _DIGRAPHS.get(value, value), line, start - line_start + 1, filename, start > after)
            after = end
        elif kind == _NEWLINE:
            if newlines:
                yield Token("NEWLINE", "\n", line, start - line_start + 1, filename)
            line += 1
            line_start, after = end, -1  # a line end counts as space
        elif kind == _NUMBER:
            if end - start > MAX_NUMBER:
                raise FrontendError(Location(filename, line, start - line_start + 1), f"a number of {end - start} characters",
                                    "no type of C holds it")
            yield Token("NUMBER", m[kind], line, start - line_start + 1, filename, start > after)
            after = end
        elif kind in (_STRING, _CHAR):
            value = m[kind]
            yield Token(_literal_type(kind, value), _REMOVE_SPLICE.sub("", value), line, start - line_start + 1, filename,
                        start > after)
            after = end
        elif kind in (_COMMENT, _LINE_COMMENT):
            if _ANNOTATION.match(m[kind]):
                yield Token("ANNOTATION", m[kind], line, start - line_start + 1, filename)
            after = -1  # a comment counts as space
        elif kind in (_BAD, _OTHER):
            token = Token("BAD" if kind == _BAD else "OTHER", m[kind], line, start - line_start + 1, filename, start > after)
            if token.value == "/*":
                raise FrontendError(token.location, "unterminated comment", "close it with */")
            yield token
            after = end
        if kind in _MULTILINE and "\n" in (value := m[kind]):
            line += value.count("\n")
            line_start = start + value.rindex("\n") + 1


_ID, _SIGN, _NEWLINE, _NUMBER, _PUNCT, _WORD, _STRING, _CHAR, _COMMENT, _LINE_COMMENT, _BAD, _OTHER = (
    _SCAN.groupindex[name]
    for name in ("ID", "SIGN", "NEWLINE", "NUMBER", "PUNCT", "WORD", "STRING", "CHAR", "COMMENT", "LINE_COMMENT", "BAD", "OTHER")
)
_MULTILINE = frozenset({_STRING, _CHAR, _COMMENT, _LINE_COMMENT})


def scan_preprocessed(text: str, filename: str) -> Iterator[Token]:
    """The tokens of preprocessed text, no `NEWLINE`s: line markers followed, `#pragma` lines as one `PRAGMA` token.

    Comments of system headers (flag 3 of a marker) are no annotations."""
    marker = _LINE_MARKER.match
    pos, line, system = 0, 1, False
    length = len(text)
    while pos < length:
        if m := marker(text, pos):
            line = int(m[1])
            if m[2] is not None:
                filename = _ESCAPE.sub(r"\1", m[2])
                system = "3" in m[3].split()
            pos = m.end()
            continue
        end = _next_directive(text, pos)
        for token in scan(text[pos:end], filename, line, newlines=False):
            if not (system and token.type == "ANNOTATION"):
                yield token
        line += text.count("\n", pos, end)
        pos = end
        if pos < length and not marker(text, pos):
            stop = text.find("\n", pos)
            stop = length if stop < 0 else stop
            column = text.index("#", pos) - pos + 1
            if p := _PRAGMA.match(text, pos):
                yield Token("PRAGMA", p[1].strip(), line, column, filename)
            elif not _IDENT.match(text, pos):
                raise FrontendError(
                    Location(filename, line, column), f"directive in preprocessed text: {text[pos:stop].strip()}",
                    "name the file .c to have it preprocessed",
                )
            pos = stop + 1
            line += 1


_DIRECTIVE = re.compile(r"^[ \t]*#", re.MULTILINE)
_COMMENT_OR_DIRECTIVE = re.compile(r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)|^[ \t]*#", re.MULTILINE)


def _next_directive(text: str, pos: int) -> int:
    """Where the next line that starts with `#` starts, outside comments; the length of the text if there is none."""
    m = _DIRECTIVE.search(text, pos)
    if m is None:
        return len(text)
    if text.find("/*", pos, m.start()) < 0:
        return m.start()
    for c in _COMMENT_OR_DIRECTIVE.finditer(text, pos):
        if not c.group().startswith("/*"):
            return c.start()
    return len(text)


def _literal_type(kind: int, value: str) -> str:
    if kind == _STRING:
        return _STRINGS[value[:value.index('"')]]
    prefix = value[:value.index("'")]
    body = value[len(prefix) + 1:-1]
    one = len(body) == 1 or (body[0] == "\\" and _ONE_ESCAPE.fullmatch(body))
    return _CHARS[prefix] if one or prefix else "INT_CONST_CHAR"


_ONE_ESCAPE = re.compile(r"\\(?:[0-7]{1,3}|x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")


_ESCAPES = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27, "E": 27}
_PIECE = re.compile(r"\\(?:x[0-9a-fA-F]*|[0-7]{1,3}|u[0-9a-fA-F]{0,4}|U[0-9a-fA-F]{0,8}|.)|[^\\]", re.DOTALL)
_LAST_CODE = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


def character_codes(body: str, wide: bool, where: Location) -> list[int]:
    """The character codes of the text between quotes; bytes of UTF-8 unless `wide`. An unknown `\\q` is a `q`, as for gcc."""
    out: list[int] = []
    for piece in _PIECE.findall(body):
        if piece[0] != "\\":
            out.extend([ord(piece)] if wide else piece.encode("utf-8", "surrogateescape"))
        elif piece[1] == "x":
            if len(piece) == 2:
                raise FrontendError(where, "'\\x' without hexadecimal digits", "write the character's code behind it")
            out.append(int(piece[2:], 16))
        elif piece[1] in "01234567":
            out.append(int(piece[1:], 8))
        elif piece[1] in "uU":
            code = _universal(piece, where)
            out.extend([code] if wide else chr(code).encode())
        else:
            out.append(_ESCAPES.get(piece[1], ord(piece[1])))
    return out


def _universal(piece: str, where: Location) -> int:
    """The code of `\\u` with four digits or `\\U` with eight, if there is such a character."""
    code = int(piece[2:] or "0", 16)
    if len(piece) != (6 if piece[1] == "u" else 10) or code > _LAST_CODE or code in _SURROGATES:
        raise FrontendError(where, f"'{piece}' is no character", "\\u takes four digits, \\U eight, of a character that there is")
    return code


def joined_strings(tokens: Sequence[Token]) -> list[Token]:
    """Adjacent string literals as one: an escape sequence ends where its literal does (`"\\x4" "1"` is no `"\\x41"`)."""
    out: list[Token] = []
    run: list[Token] = []
    for token in tokens:
        if token.type in STRING_TYPES:
            run.append(token)
            continue
        if run:
            out.append(run[0] if len(run) == 1 else _joined(run))
            run = []
        out.append(token)
    return [*out, *run]


def _joined(run: Sequence[Token]) -> Token:
    first, quotes = run[0], [t.value.index('"') for t in run]
    prefix = next((t.value[:at] for t, at in zip(run, quotes, strict=True) if at), "")
    bodies = [t.value[at + 1:-1] for t, at in zip(run, quotes, strict=True)]
    text = "".join((*(_OPEN_ESCAPE.sub(_full_escape, body) for body in bodies[:-1]), bodies[-1]))
    return Token(_STRINGS[prefix], f'{prefix}"{text}"', first.lineno, first.column, first.filename, first.space)


_OPEN_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:x([0-9a-fA-F]+)|([0-7]{1,2}))$")
"""An escape sequence at the end of a literal that digits behind it would become a part of."""


def _full_escape(m: re.Match[str]) -> str:
    code = int(m[2], 16) if m[2] else int(m[3], 8)
    return f"{m[1]}\\{code:03o}" if code < 0o1000 else f"{m[1]}\\U{code:08x}"


def bad_literal(token: Token) -> FrontendError:
    """The error that a `BAD` token is."""
    if token.value.endswith('"'):
        return FrontendError(token.location, "unterminated string literal", 'close it with " on the same line')
    return FrontendError(token.location, "unterminated or empty character constant", "close it with ' on the same line")


def _join_split_words(text: str) -> str:
    """Lines spliced in the middle of a token are joined; the line ends removed come after the joined line instead."""
    out: list[str] = []
    owed = 0
    for physical in text.split("\n"):
        bare = physical.rstrip(" \t")
        if bare.endswith("\\"):
            out.append(bare[:-1])
            owed += 1
        else:
            out.append(physical + "\n" * (owed + 1))
            owed = 0
    joined = "".join(out)
    return joined.removesuffix("\n")
