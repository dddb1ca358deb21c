"""Macro definition and expansion as C11 6.10.3 says, with GNU's named rest parameters and `, ## args`.

Hide sets keep a macro from expanding within itself. A token of a macro's body stands where the macro was used; a token
of an argument stays where the user wrote it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from frontend.program import FrontendError
from frontend.records import dataclass
from frontend.text.tokens import STRING_TYPES, Token, scan

MAX_EXPANSION = 200_000
"""Tokens that one use of a macro may produce on the way: a few nested macros can make any number of them."""

MAX_TOKEN = 100_000
"""Characters of a token that `#` or `##` makes; nested, they can double it again and again."""

MAX_MACRO_NESTING = 100
"""Macro calls within the arguments of macro calls."""

_REST = "__VA_ARGS__"


@dataclass(frozen=True, slots=True)
class Macro:
    """`params` None: object-like. `rest` is the name of the parameter that takes the remaining arguments."""

    name: str
    params: tuple[str, ...] | None
    rest: str | None
    body: tuple[Token, ...]


def parse_definition(tokens: list[Token]) -> Macro:
    """The macro that the tokens after `#define` define."""
    name = tokens[0]
    if name.type != "ID" or name.value in ("defined", _REST):
        raise FrontendError(name.location, f"'{name.value}' cannot be the name of a macro", "a macro's name is an identifier")
    params: tuple[str, ...] | None = None
    rest: str | None = None
    body = tokens[1:]
    if body and body[0].type == "LPAREN" and not body[0].space:
        close = next((i for i, t in enumerate(body) if t.type == "RPAREN"), None)
        if close is None:
            raise FrontendError(body[0].location, f"the parameters of macro '{name.value}' have no end", "close them with )")
        params, rest = _parameters(body[1:close], name)
        body = body[close + 1:]
    if body and (body[0].type == "DOUBLE_HASH" or body[-1].type == "DOUBLE_HASH"):
        raise FrontendError(name.location, f"'##' at an end of macro '{name.value}'", "it joins two tokens")
    return Macro(name.value, params, rest, tuple(body))


def _parameters(tokens: list[Token], name: Token) -> tuple[tuple[str, ...], str | None]:
    names: list[str] = []
    rest: str | None = None
    expect_name = True
    for i, t in enumerate(tokens):
        last = i == len(tokens) - 1
        if expect_name and t.type == "ID" and t.value not in names:
            names.append(t.value)
            expect_name = False
        elif t.type == "ELLIPSIS" and last:
            if expect_name:
                names.append(_REST)
            rest = names[-1]
            expect_name = False
        elif t.type == "COMMA" and not expect_name and not last:
            expect_name = True
        else:
            raise FrontendError(t.location, f"'{t.value}' in the parameters of macro '{name.value}'",
                                "parameters are different names with commas between them")
    return tuple(names), rest


Following: TypeAlias = Callable[[], Token | None]
Dynamic: TypeAlias = Callable[[Token, Following], Token]
"""A macro that is computed (`__LINE__`, `defined`): from its token and those that follow it, unexpanded."""


class Expander:
    """Expands macros in a stream of tokens; `macros` may change while the stream is read."""

    def __init__(self, macros: Mapping[str, Macro], dynamic: Mapping[str, Dynamic]) -> None:
        self._macros = macros
        self._dynamic = dynamic
        self._produced = 0
        self._depth = 0

    def expand(self, source: Iterable[Token]) -> Iterator[Token]:
        """The stream with every macro in it replaced."""
        macros, dynamic = self._macros, self._dynamic
        pending: list[Token] = []
        rest = iter(source)

        def following() -> Token | None:
            return pending.pop() if pending else next(rest, None)

        while True:
            if pending:
                token: Token | None = pending.pop()
            else:
                token = next(rest, None)
                if self._depth == 0:
                    self._produced = 0
            if token is None:
                return
            if token.type != "ID" or (token.value not in macros and token.value not in dynamic) or token.value in token.hide:
                yield token
                continue
            if token.value in dynamic:
                yield dynamic[token.value](token, following)
                continue
            macro = macros[token.value]
            if macro.params is None:
                result = self._substitute(macro, {}, token, token.hide | {macro.name})
            else:
                opening = following()
                if opening is None or opening.type != "LPAREN":
                    if opening is not None:
                        pending.append(opening)
                    yield token
                    continue
                arguments, closing = self._arguments(macro, token, following)
                hide = (token.hide & closing.hide) | {macro.name}
                result = self._substitute(macro, arguments, token, hide)
            self._produced += len(result) + 1
            if self._produced > MAX_EXPANSION:
                raise FrontendError(token.location, f"a macro produces more than {MAX_EXPANSION} tokens, in '{macro.name}'",
                                    "write out what the macro does, or preprocess the file and check the part that matters")
            result.reverse()
            pending.extend(result)

    def _arguments(
        self, macro: Macro, name: Token, following: Following
    ) -> tuple[dict[str, list[Token]], Token]:
        """The arguments of a call by parameter, read up to the closing parenthesis."""
        params = macro.params or ()
        found: list[list[Token]] = [[]]
        level = 0
        while True:
            token = following()
            if token is None:
                raise FrontendError(name.location, f"the call of macro '{macro.name}' has no end", "close it with )")
            if token.type == "RPAREN":
                if level == 0:
                    break
                level -= 1
            elif token.type == "LPAREN":
                level += 1
            elif token.type == "COMMA" and level == 0 and not (macro.rest is not None and len(found) == len(params)):
                found.append([])
                continue
            found[-1].append(token)
        if macro.rest is not None and len(found) == len(params) - 1:
            found.append([])
        if not params and found == [[]]:
            found = []
        if len(found) != len(params):
            raise FrontendError(
                name.location, f"macro '{macro.name}' takes {len(params)} arguments, here are {len(found)}", "see its #define"
            )
        return dict(zip(params, found, strict=True)), token

    def _substitute(
        self, macro: Macro, arguments: dict[str, list[Token]], place: Token, hide: frozenset[str]
    ) -> list[Token]:
        """The body with the arguments in it, standing at `place`."""
        if self._depth >= MAX_MACRO_NESTING:
            raise FrontendError(place.location, f"macro calls are nested more than {MAX_MACRO_NESTING} levels deep",
                                "write out some of them")
        self._depth += 1
        try:
            tokens = self._body(macro, macro.body, arguments, place, {})
        finally:
            self._depth -= 1
        out = [Token(t.type, t.value, t.lineno, t.column, t.filename, t.space, t.hide | hide) for t in tokens]
        if out:
            out[0].space = place.space
        return out

    def _body(
        self, macro: Macro, body: tuple[Token, ...], arguments: dict[str, list[Token]], place: Token,
        expanded: dict[str, list[Token]],
    ) -> list[Token]:
        segments: list[list[Token]] = []
        i, paste = 0, False
        while i < len(body):
            t = body[i]
            if t.type == "DOUBLE_HASH":
                paste = True
                i += 1
                continue
            i += 1
            raw = paste or (i < len(body) and body[i].type == "DOUBLE_HASH")
            segment: list[Token]
            if t.type == "HASH" and macro.params is not None:
                if i >= len(body) or body[i].value not in arguments:
                    raise FrontendError(place.location, f"'#' without a parameter in macro '{macro.name}'",
                                        "it makes a string of a parameter")
                segment = [_string_of(arguments[body[i].value], t, place)]
                i += 1
            elif t.value == "__VA_OPT__" and macro.rest is not None and i < len(body) and body[i].type == "LPAREN":
                end = _closing(body, i)
                inner = body[i + 1:end]
                segment = self._body(macro, inner, arguments, place, expanded) if arguments[macro.rest] else []
                i = end + 1
            elif t.value in arguments and t.type == "ID":
                if paste and t.value == macro.rest and segments and [s.type for s in segments[-1]] == ["COMMA"]:
                    segment = self._argument(t.value, arguments, expanded)
                    if segment:
                        segments.append(segment)
                    else:
                        segments[-1] = []
                    paste = False
                    continue
                segment = arguments[t.value] if raw else self._argument(t.value, arguments, expanded)
                if segment and segment[0].space != t.space:
                    first = segment[0].at(segment[0])
                    first.space = t.space
                    segment = [first, *segment[1:]]
            else:
                segment = [t.at(place)]
            if paste:
                segments[-1] = _paste(segments[-1], segment, place)
                paste = False
            else:
                segments.append(segment)
        return [t for segment in segments for t in segment]

    def _argument(
        self, name: str, arguments: dict[str, list[Token]], expanded: dict[str, list[Token]]
    ) -> list[Token]:
        if name not in expanded:
            expanded[name] = list(self.expand(arguments[name]))
        return expanded[name]


def _closing(body: tuple[Token, ...], opening: int) -> int:
    level = 0
    for i in range(opening, len(body)):
        level += {"LPAREN": 1, "RPAREN": -1}.get(body[i].type, 0)
        if level == 0:
            return i
    raise FrontendError(body[opening].location, "'(' in a macro has no end", "close it with )")


def spelled(tokens: Iterable[Token]) -> str:
    """The text of the tokens, one space where the source has any."""
    return "".join((" " if t.space else "") + t.value for t in tokens).strip()


def _check_length(text: str, place: Token) -> None:
    if len(text) > MAX_TOKEN:
        raise FrontendError(place.location, f"a macro makes a token of more than {MAX_TOKEN} characters", "see its #define")


def _string_of(argument: list[Token], sign: Token, place: Token) -> Token:
    def quoted(t: Token) -> str:
        text = t.value
        if t.type in STRING_TYPES or "'" in text:
            text = text.replace("\\", "\\\\").replace('"', '\\"')
        return (" " if t.space else "") + text

    text = "".join(map(quoted, argument)).strip()
    _check_length(text, place)
    return Token("STRING_LITERAL", f'"{text}"', place.lineno, place.column, place.filename, sign.space)


def _paste(left: list[Token], right: list[Token], place: Token) -> list[Token]:
    if not left or not right:
        return left + right
    text = left[-1].value + right[0].value
    _check_length(text, place)
    made = list(scan(text, place.filename))
    if len(made) != 1 or made[0].type in ("BAD", "OTHER", "ANNOTATION"):
        raise FrontendError(place.location, f"'##' makes '{text}', which is not a token", "see the macro's #define")
    token = made[0].at(place)
    token.space = left[-1].space
    token.hide = left[-1].hide & right[0].hide
    return [*left[:-1], token, *right[1:]]
