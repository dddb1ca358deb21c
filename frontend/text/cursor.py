"""The state of the dialect pass: tokens to do, tokens done, open brackets, and where the present declaration starts."""

from __future__ import annotations

from dataclasses import field

from frontend.program import MAX_NESTING, DataModel, FrontendError, Location
from frontend.records import dataclass
from frontend.text.tokens import PUNCTUATION, Annotation, Token

_CLOSES = {"RPAREN": "(", "RBRACKET": "[", "RBRACE": "{"}
_STATEMENT_STARTS = frozenset({"SEMI", "LBRACE", "RBRACE", "COLON", "ELSE", "DO"})
CONTROL = frozenset({"IF", "WHILE", "FOR", "SWITCH"})


@dataclass(slots=True)
class OpenBracket:
    """An open bracket. `kind`: `(`, `[`, or for braces `block`, `init`, `record`, `enum`. `index` is where the bracket is in
    the output, `start` where the declaration around it starts, `tag` where its struct keyword is; `questions` counts `?`
    without their `:`."""

    token: Token
    kind: str
    index: int
    start: int
    tag: int = -1
    questions: int = 0


_NO_TOKEN = Token("END", "", 1, 1, "")


@dataclass(slots=True)
class Cursor:
    """`todo` is the input in reverse: its last element is next. Inserts go in front of `out[index]` at the end."""

    todo: list[Token]
    model: DataModel
    end: Token = _NO_TOKEN
    out: list[Token] = field(default_factory=list)
    inserts: dict[int, list[Token]] = field(default_factory=dict)
    stack: list[OpenBracket] = field(default_factory=list)
    start: int = 0
    bit_field: int = -1  # where the `:` of the present bit field is
    before_paren: Token = _NO_TOKEN  # what stands in front of the parentheses closed last
    closed_tag: int = -1  # where the struct keyword of the braces closed last is
    typed_enum: bool = False  # behind `enum E : type`, before its brace
    chain: int = 0  # brackets that follow each other directly: `a[1][2](3)`
    for_next_name: list[Token] = field(default_factory=list)
    pack: list[str] = field(default_factory=lambda: [""])
    annotations: list[Annotation] = field(default_factory=list)
    assumptions: list[tuple[str, Location]] = field(default_factory=list)

    @property
    def previous(self) -> str:
        """Type of the token put out last; at the start of the file as behind a `;`."""
        return self.out[-1].type if self.out else "SEMI"

    def next(self, ahead: int = 0) -> Token:
        return self.todo[-1 - ahead] if ahead < len(self.todo) else self.end

    def push(self, tokens: list[Token]) -> None:
        """Puts tokens in front of the input."""
        self.todo.extend(reversed(tokens))

    def group(self, owner: Token) -> list[Token]:
        """Takes a parenthesised group from the input; the tokens inside."""
        opening = self.next()
        if opening.type != "LPAREN":
            raise FrontendError(owner.location, f"'(' must follow '{owner.value}'", f"here is '{opening.value}'")
        todo, inside, level = self.todo, [], 0
        while todo:
            t = todo.pop()
            inside.append(t)
            if t.type == "LPAREN":
                level += 1
            elif t.type == "RPAREN":
                level -= 1
                if level == 0:
                    return inside[1:-1]
        raise FrontendError(opening.location, "'(' is never closed", "the file ends before it is")

    def insert(self, index: int, tokens: list[Token]) -> None:
        self.inserts.setdefault(index, []).extend(tokens)

    def at_statement(self) -> bool:
        """Whether a statement can start here."""
        if self.previous == "RPAREN":
            return self.before_paren.type in CONTROL
        return self.previous in _STATEMENT_STARTS

    def enter(self, token: Token, kind: str, tag: int = -1) -> None:
        """Puts out an opening bracket."""
        self.chain = self.chain + 1 if self.previous in ("RPAREN", "RBRACKET") and kind in ("(", "[") else 0
        if self.chain > MAX_NESTING:
            raise FrontendError(token.location, f"a chain of more than {MAX_NESTING} brackets makes a type too deep",
                                "use a struct for some of them")
        if len(self.stack) >= MAX_NESTING:
            raise FrontendError(token.location, f"brackets are nested more than {MAX_NESTING} levels deep",
                                "split the expression or the function into parts")
        self.stack.append(OpenBracket(token, kind, len(self.out), self.start, tag))
        self.out.append(token)
        self.start = len(self.out)

    def close(self, token: Token) -> None:
        """Puts out a closing bracket; raises FrontendError if it does not match."""
        if not self.stack:
            raise FrontendError(token.location, f"'{token.value}' closes nothing", "remove it, or add the opening bracket")
        top = self.stack.pop()
        expected = _CLOSES[token.type]
        if (top.kind if top.kind in ("(", "[") else "{") != expected:
            raise FrontendError(token.location, f"'{token.value}' while '{top.token.value}' is open",
                                f"close the one of line {top.token.lineno} first")
        if expected == "(":
            self.before_paren = self.out[top.index - 1] if top.index else _NO_TOKEN
        self.out.append(token)
        self.closed_tag = top.tag
        self.start = len(self.out) if top.kind == "block" else top.start

    def finish(self) -> list[Token]:
        """All tokens put out; raises FrontendError if a bracket is open."""
        if self.stack:
            opening = self.stack[-1].token
            raise FrontendError(opening.location, f"'{opening.value}' is never closed", "the file ends before it is")
        merged: list[Token] = []
        last = 0
        for index in sorted(self.inserts):
            merged += self.out[last:index]
            merged += self.inserts[index]
            last = index
        return merged + self.out[last:]


def made(place: Token, *parts: str | list[Token]) -> list[Token]:
    """Tokens standing at `place`: words and punctuation given as text, others as they are."""
    tokens: list[Token] = []
    for part in parts:
        if isinstance(part, str):
            tokens.append(Token(PUNCTUATION.get(part, "ID"), part, place.lineno, place.column, place.filename))
        else:
            tokens += part
    return tokens
