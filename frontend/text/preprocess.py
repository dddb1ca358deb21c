"""Preprocessing: directives, includes and predefined macros; or an external preprocessor; or a `.i` file as it is.

Written here rather than taken from a library, because the tokens must keep the user's lines and columns through macros,
and because every wrong directive must be an error with its place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from frontend.program import MAX_SOURCE, FrontendError, Location, OptionError, displayed, read_source, source_text, too_large
from frontend.records import dataclass
from frontend.text.compilers import AUTO, Compiler, preprocessor, run_preprocessor
from frontend.text.conditional import Condition
from frontend.text.macros import Dynamic, Expander, Following, Macro, parse_definition, spelled
from frontend.text.predefined import has, predefined_macros
from frontend.text.tokens import IDENTIFIER, Annotation, Token, bad_literal, scan, scan_preprocessed

INCLUDE = str(Path(__file__).parent.parent / "include")
"""`circ.h`, for real compilers too."""

LIBC = str(Path(INCLUDE) / "libc")
"""Our small standard headers; never given to a real compiler."""

MAX_INCLUDE_DEPTH = 100
_MAX_SPELLED = 100_000
"""Tokens that a macro in an annotation may stand for."""
_HAS = ("__has_attribute", "__has_builtin", "__has_c_attribute", "__has_cpp_attribute")
_NOT_IN_GCC = ("__has_feature", "__has_extension")
"""Understood, but nobody can tell: gcc does not define them."""


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How to read a file: what `-I -D -U --cpp --data-model` say, and what else a compile command may.

    `quoted`: folders for headers in quotes only. `system`: folders behind the others. `forced`: headers that are included before
    the file. `compiler`: the one of the compile command, which preprocesses if it is installed. `bare`: no system runs there.
    """

    include: tuple[str, ...] = ()
    define: tuple[str, ...] = ()
    undefine: tuple[str, ...] = ()
    cpp: str | None = None
    data_model: str = "lp64"
    bare: bool = False
    quoted: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()
    compiler: Compiler | None = None
    text: str | None = None
    """The text of the file, if it is not to be read from there."""
    project: str = ""
    """The folder of which no program is run, if it is not just that of the file."""

    def source(self, path: str) -> str:
        return read_source(path) if self.text is None else source_text(self.text, path)


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """The tokens of a translation unit, `PRAGMA`s among them, and the comments in it that carry meaning."""

    tokens: list[Token]
    annotations: tuple[Annotation, ...]
    cpp: str | None = None
    """`AUTO` if the system's compiler made them for want of a header."""


class MissingHeader(FrontendError):
    """A header that lies in none of the folders, ours included."""


def preprocess(path: str, options: SourceOptions) -> Preprocessed:
    """The file's tokens after preprocessing; raises FrontendError for whatever is wrong up to there.

    Where nobody says who preprocesses, a header that we do not have is the system's: its compiler does it all then, if
    there is one.
    """
    try:
        return _preprocess(path, options)
    except MissingHeader as missing:
        if options.cpp is not None or options.text is not None or options.bare or options.data_model != "lp64":
            raise
        by_system = replace(options, cpp=AUTO)
        if not preprocessor(path, AUTO, options.compiler, options.project):
            raise
        try:
            return replace(_preprocess(path, by_system), cpp=AUTO)
        except FrontendError:
            raise missing from None


def _preprocess(path: str, options: SourceOptions) -> Preprocessed:
    if path.endswith(".i"):
        return _preprocessed_text(options.source(path), path)
    words = preprocessor(path, options.cpp, options.compiler, options.project)
    if words and options.text is not None:
        raise FrontendError(Location(path, 1), "a text that is in no file cannot be given to another preprocessor",
                            "do without --cpp, or write it to a file")
    if words:
        read_source(path)
        return _preprocessed_text(run_preprocessor([*words, *_external(options, path)], path, options.cpp), path)
    return _Preprocessor(options, path).run(path)


def _external(options: SourceOptions, path: str) -> Iterator[str]:
    """The options as words for a real preprocessor. `-C` keeps the comments, some of which are annotations.

    Compilers pass values on as words of their own, and take a word that begins with `@` for a file of options: no value does.
    """
    yield from ("-C", "-D__CIRC__=1")
    for option, values in (("-D", options.define), ("-U", options.undefine)):
        for value in values:
            if not _MACRO.match(value):
                what = f"{option} {displayed(value)}: no macro has such a name"
                raise FrontendError(Location(path, 1, 1), what, f"see {option}")
            yield option + value
    for option, paths in (("-include", options.forced), ("-iquote", options.quoted), ("-I", options.include),
                          ("-isystem", options.system)):
        yield from (option + (os.path.join(".", p) if p.startswith(("@", "-")) else p) for p in paths)
    yield f"-I{INCLUDE}"


def _preprocessed_text(text: str, path: str) -> Preprocessed:
    if len(text) > MAX_SOURCE:
        raise too_large(path, len(text))
    tokens: list[Token] = []
    annotations: list[Annotation] = []
    for token in scan_preprocessed(text, path):
        if token.type == "ANNOTATION":
            annotations.append(Annotation(token.value, token.location))
        else:
            tokens.append(token)
    return Preprocessed(tokens, tuple(annotations))


_LINE_NUMBER = re.compile("[0-9]{1,18}")
_MACRO = re.compile(r"[A-Za-z_$][\w$]*(?:\Z|[=(])")
"""How a macro begins that is defined on a command line."""
_MACRO_NAME = re.compile(IDENTIFIER)


def _given(definition: str) -> list[Token]:
    """The tokens of a macro's definition that stands in no file."""
    return [t for t in scan(definition, "<command line>") if t.type != "NEWLINE"]


@dataclass(slots=True)
class _Group:
    """An `#if` that is open: whether its present branch is read, whether one was, whether the code around it is."""

    opening: Token
    active: bool
    taken: bool
    around: bool
    seen_else: bool = False


@dataclass(slots=True)
class _File:
    """A file being read; `#line` changes what it and its lines are called."""

    path: str
    name: str
    shift: int
    directory: int
    """Position of the directory it was found in among those searched, for `#include_next`; -1 when not among them."""


class _Preprocessor:
    def __init__(self, options: SourceOptions, path: str) -> None:
        self._search = [*options.quoted, *options.include, *options.system, INCLUDE, LIBC]
        self._quoted = len(options.quoted)
        self._forced = options.forced
        self._options = options
        self._macros: dict[str, Macro] = {}
        self._annotations: list[Annotation] = []
        self._once: set[str] = set()
        self._counter = 0
        self._files: list[_File] = []
        dynamic: dict[str, Dynamic] = {"__LINE__": self._line, "__FILE__": self._file_name, "__COUNTER__": self._count}
        self._expander = Expander(self._macros, dynamic)
        tests: dict[str, Dynamic] = {"__has_include": self._has_include, "__has_include_next": self._has_include_next}
        tests |= dict.fromkeys(_HAS, self._has)
        self._known = frozenset(dynamic) | frozenset(tests)
        tests |= dict.fromkeys(_NOT_IN_GCC, self._has)
        self._condition_expander = Expander(self._macros, dynamic | tests | {"defined": self._defined})
        for text in predefined_macros(options.data_model, options.bare):
            self._define(_given(text))
        for text in options.define:
            self._define_option(text, Location(path, 1))
        for name in options.undefine:
            if not _MACRO_NAME.fullmatch(name):
                raise OptionError(Location(path, 1), "-U", name, "this cannot be the name of a macro", "-U NAME")
            self._macros.pop(name, None)

    def _define_option(self, text: str, here: Location) -> None:
        """Obeys `-D NAME` or `-D NAME=VALUE`."""
        name, equals, value = text.partition("=")
        if not name.strip():
            raise OptionError(here, "-D", text, "there is no macro's name", "-D NAME or -D NAME=VALUE")
        try:
            self._define(_given(f"{name} {value if equals else 1}"))
        except FrontendError as error:
            raise OptionError(here, "-D", text, error.message, error.hint) from None

    def run(self, path: str) -> Preprocessed:
        tokens: list[Token] = []
        size = 0
        for token in self._expander.expand(self._text(path)):
            size += len(token.value) + 1
            if size > MAX_SOURCE:
                raise too_large(path, size)
            tokens.append(token)
        return Preprocessed(tokens, tuple(replace(a, macros=self._macros_in(a.text, a.location)) for a in self._annotations))

    def _text(self, path: str) -> Iterator[Token]:
        """The text of the headers that are included before the file, then of the file."""
        for header in self._forced:
            found = (header, -1) if os.path.isfile(header) else self._find(header, True, _File(path, path, 0, -1), False)
            if found is None:
                raise FrontendError(Location(path, 1, 1), f"cannot find '{header}', which is included before the file",
                                    "see -include in its compile command")
            yield from self._read(found[0], found[0], found[1])
        yield from self._read(path, path, -1, self._options.source(path))

    def _macros_in(self, text: str, where: Location) -> tuple[tuple[str, str], ...]:
        """Macros without parameters that an annotation names, as they are at the end of the file, and what they stand for."""
        found: dict[str, str] = {}
        for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text)):
            macro = self._macros.get(name)
            if macro is not None and macro.params is None and macro.body:
                words = list(islice(self._spelled_out(macro, frozenset()), _MAX_SPELLED + 1))
                if len(words) > _MAX_SPELLED:
                    raise FrontendError(where, f"the macro '{name}' stands for more than {_MAX_SPELLED} tokens here",
                                        "write out what it means")
                found[name] = " ".join(words)
        return tuple(found.items())

    def _spelled_out(self, macro: Macro, above: frozenset[str]) -> Iterator[str]:
        for token in macro.body:
            inner = self._macros.get(token.value)
            if inner is None or inner.params is not None or inner.name in above | {macro.name}:
                yield token.value
            else:
                yield from self._spelled_out(inner, above | {macro.name})

    # ------------------------------------------------------------------------------------------- lines
    def _read(self, path: str, name: str, directory: int, text: str | None = None) -> Iterator[Token]:
        """The text of a file, directives obeyed, macros not yet expanded."""
        tokens = list(scan(read_source(path) if text is None else text, name))
        file = _File(path, name, 0, directory)
        self._files.append(file)
        shipped = path.startswith(INCLUDE)
        groups: list[_Group] = []
        i, end = 0, len(tokens)
        while i < end:
            start = i
            while i < end and tokens[i].type != "NEWLINE":
                i += 1
            line = tokens[start:i]
            i += 1
            if not line:
                continue
            active = not groups or groups[-1].active
            if line[0].type == "HASH":
                physical = line[0].lineno
                self._place(line, file)
                yield from self._directive([t for t in line if t.type != "ANNOTATION"], file, groups, active, physical)
            elif active:
                self._place(line, file)
                for token in line:
                    if token.type == "ANNOTATION":
                        if not shipped:
                            self._annotations.append(Annotation(token.value, token.location))
                    elif token.type == "BAD":
                        raise bad_literal(token)
                    else:
                        yield token
        if groups:
            raise FrontendError(groups[-1].opening.location, f"#{groups[-1].opening.value} without #endif", "add the #endif")
        self._files.pop()

    @staticmethod
    def _place(line: list[Token], file: _File) -> None:
        if file.shift or line[0].filename != file.name:
            for token in line:
                token.lineno += file.shift
                token.filename = file.name

    def _directive(  # noqa: C901 - one case for each directive
        self, line: list[Token], file: _File, groups: list[_Group], active: bool, physical: int
    ) -> Iterator[Token]:
        """Follow a directive; gives the tokens that it stands for.

        Conditionals are followed in groups that are skipped, too (`active` is False), so that each `#endif` finds its `#if`;
        their conditions are evaluated only where they count. All other directives count in active groups only. `#` alone does
        nothing, `# 12 "file"` is `#line`, what the C standard does not name is an error.
        """
        if len(line) == 1:
            return
        name, rest = line[1], line[2:]
        match name.value:
            case "if" | "ifdef" | "ifndef":
                holds = active and self._holds(name, rest)
                groups.append(_Group(name, holds, holds, active))
            case "elif" | "elifdef" | "elifndef" | "else":
                self._branch(name, rest, groups)
            case "endif":
                if not groups:
                    raise FrontendError(name.location, "#endif without #if", "remove it, or add the #if")
                groups.pop()
            case _ if not active:
                return
            case "define":
                if not rest:
                    raise FrontendError(name.location, "#define without a name", "name the macro")
                self._define(rest)
            case "undef":
                self._macros.pop(self._one_name(name, rest), None)
            case "include" | "include_next":
                yield from self._include(name, rest, file)
            case "line":
                self._renumber(name, list(self._expander.expand(rest)), file, physical)
            case "error":
                raise FrontendError(name.location, f"#error {spelled(rest)}".rstrip(), "the source asks for it: see -D and -U")
            case "pragma":
                if rest and rest[0].value == "once":
                    self._once.add(os.path.realpath(file.path))
                else:
                    yield Token("PRAGMA", spelled(rest), name.lineno, name.column, name.filename)
            case "warning" | "ident" | "sccs":
                return
            case _ if name.type == "NUMBER":
                self._renumber(name, line[1:], file, physical)
            case _:
                raise FrontendError(name.location, f"unknown directive #{name.value}", "C has no such directive")

    def _branch(self, name: Token, rest: list[Token], groups: list[_Group]) -> None:
        if not groups:
            raise FrontendError(name.location, f"#{name.value} without #if", "remove it, or add the #if")
        group = groups[-1]
        if group.seen_else:
            raise FrontendError(name.location, f"#{name.value} after #else", "only #endif can follow #else")
        group.seen_else = name.value == "else"
        open_branch = group.around and not group.taken
        group.active = open_branch and (group.seen_else or self._holds(name, rest))
        group.taken = group.taken or group.active

    def _renumber(self, name: Token, rest: list[Token], file: _File, physical: int) -> None:
        if not rest or rest[0].type != "NUMBER" or not _LINE_NUMBER.fullmatch(rest[0].value):
            raise FrontendError(name.location, "#line takes a line number and a file name", '#line 12 "file.c"')
        if len(rest) > 1:
            if rest[1].type != "STRING_LITERAL":
                raise FrontendError(rest[1].location, "#line takes a file name in quotes", '#line 12 "file.c"')
            file.name = re.sub(r"\\(.)", r"\1", rest[1].value[1:-1])
        file.shift = int(rest[0].value) - physical - 1

    def _define(self, tokens: list[Token]) -> None:
        for token in tokens:
            if token.type == "BAD":
                raise bad_literal(token)
        macro = parse_definition(tokens)
        self._macros[macro.name] = macro

    def _one_name(self, directive: Token, rest: list[Token]) -> str:
        if not rest or rest[0].type != "ID":
            raise FrontendError(directive.location, f"#{directive.value} takes a macro's name", "name the macro")
        return rest[0].value

    # ------------------------------------------------------------------------------------------- conditions
    def _holds(self, name: Token, rest: list[Token]) -> bool:
        if name.value.endswith("ndef"):
            return not self._is_defined(self._one_name(name, rest))
        if name.value.endswith("def"):
            return self._is_defined(self._one_name(name, rest))
        return Condition(list(self._condition_expander.expand(rest)), name, "__CHAR_UNSIGNED__" not in self._macros).holds()

    def _is_defined(self, name: str) -> bool:
        return name in self._macros or name in self._known

    def _defined(self, token: Token, following: Following) -> Token:
        name = following()
        if name is not None and name.type == "LPAREN":
            name, closing = following(), following()
            if closing is None or closing.type != "RPAREN":
                raise FrontendError(token.location, "defined(...) takes one macro's name", "defined(NAME)")
        if name is None or name.type != "ID":
            raise FrontendError(token.location, "defined takes a macro's name", "defined(NAME)")
        return _number(int(self._is_defined(name.value)), token)

    def _has(self, token: Token, following: Following) -> Token:
        return _number(has(token.value, "".join(t.value for t in self._operand(token, following))), token)

    def _has_include(self, token: Token, following: Following) -> Token:
        return self._has_header(token, following, after=False)

    def _has_include_next(self, token: Token, following: Following) -> Token:
        return self._has_header(token, following, after=True)

    def _has_header(self, token: Token, following: Following, after: bool) -> Token:
        header = self._header(token, self._operand(token, following))
        return _number(int(self._find(*header, self._files[-1], after) is not None), token)

    @staticmethod
    def _operand(token: Token, following: Following) -> list[Token]:
        opening = following()
        level = 1 if opening is not None and opening.type == "LPAREN" else 0
        operand: list[Token] = []
        while level:
            t = following()
            if t is None:
                level = 0
                operand = []
                break
            level += {"LPAREN": 1, "RPAREN": -1}.get(t.type, 0)
            operand.append(t)
        if not operand:
            raise FrontendError(token.location, f"{token.value} takes an operand in parentheses", f"{token.value}(...)")
        return operand[:-1]

    # ------------------------------------------------------------------------------------------- computed macros
    def _line(self, token: Token, _following: Following) -> Token:
        return _number(token.lineno, token)

    def _count(self, token: Token, _following: Following) -> Token:
        self._counter += 1
        return _number(self._counter - 1, token)

    def _file_name(self, token: Token, _following: Following) -> Token:
        name = token.filename.replace("\\", "\\\\").replace('"', '\\"')
        return Token("STRING_LITERAL", f'"{name}"', token.lineno, token.column, token.filename, token.space)

    # ------------------------------------------------------------------------------------------- includes
    def _include(self, name: Token, rest: list[Token], file: _File) -> Iterator[Token]:
        header, quoted = self._header(name, rest)
        found = self._find(header, quoted, file, name.value == "include_next")
        if found is None:
            raise MissingHeader((rest[0] if rest else name).location, f"cannot find the header '{header}'",
                                "give its directory with -I, or use the system's headers with --cpp 'gcc -E'")
        path, directory = found
        if os.path.realpath(path) in self._once:
            return
        if len(self._files) > MAX_INCLUDE_DEPTH:
            raise FrontendError(name.location, f"'{header}' is included within itself too deeply", "give it an include guard")
        yield from self._read(path, path, directory)

    def _header(self, name: Token, rest: list[Token]) -> tuple[str, bool]:
        """The header's name, and whether it is in quotes."""
        if rest and rest[0].type not in ("STRING_LITERAL", "LT"):
            rest = list(self._expander.expand(rest))
        if rest and rest[0].type == "STRING_LITERAL":
            return rest[0].value[1:-1], True
        if rest and rest[0].type == "LT":
            for i, token in enumerate(rest):
                if token.type == "GT":
                    return spelled(rest[1:i]), False
        raise FrontendError(name.location, f"#{name.value} takes \"header\" or <header>", "complete it")

    def _find(self, header: str, quoted: bool, file: _File, after: bool) -> tuple[str, int] | None:
        if quoted and not after:
            beside = os.path.join(os.path.dirname(file.path), header)
            if os.path.isfile(beside):
                return beside, file.directory
        for i, directory in enumerate(self._search):
            path = os.path.join(directory, header)
            searched = i >= self._quoted or quoted
            if searched and (not after or i > file.directory) and os.path.isfile(path):
                return path, i
        return None


def _number(value: int, place: Token) -> Token:
    return Token("NUMBER", str(value), place.lineno, place.column, place.filename, place.space)
