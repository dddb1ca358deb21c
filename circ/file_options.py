"""The options of a command together with those in the header of a file: what stands on the command line wins, lists add up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import typer

from circ.command_options import UnknownWord, check_words
from circ.scan.header import ASKING, READING, Header, header_of, refused
from frontend.program import FrontendError, displayed, read_data

UsageError = cast(type[Exception], typer.BadParameter.__bases__[0])  # all of typer's errors of usage; it does not export it
Parse: TypeAlias = Callable[[Sequence[str]], typer.Context]
"""Words of a command line of `circ check`, read; raises UsageError."""


class FileOptions:
    """What a command was told, ready to be completed by what the header of a file says; `names` are the options it may say."""

    def __init__(self, ctx: typer.Context, names: Sequence[str] = (*READING, *ASKING)) -> None:
        self._parse, self._names = _parser(ctx), names
        self._told = {**self._parse(()).params, **ctx.params}
        self._given = {name for name in ctx.params if given(ctx, name)}

    def of(self, header: Header) -> dict[str, Any]:
        """The values of all options by their names; raises FrontendError with the place of an option that makes no sense."""
        values = dict(self._told)
        for option in header.options:
            try:
                check_words(self._parse(option.words).params)
                if option.name == "--interrupts":
                    read_data(option.value)
            except FrontendError as error:
                raise refused(option, f"{displayed(option.value)}: {error.message}", error.hint) from None
            except UnknownWord as error:
                raise refused(option, str(error)) from None
            except UsageError as error:
                raise refused(option, in_a_line(cast(Any, error).format_message())) from None
        read = self._parse([word for option in header.options if option.name in self._names for word in option.words])
        for name in read.params:
            if name in values and given(read, name):
                values[name] = _both(name, read.params[name], values[name], name in self._given)
        return values

    def of_file(self, path: str, project: str | None = None) -> dict[str, Any]:
        """The same for the header of a file."""
        return self.of(header_of(path, project))


def _both(name: str, own: Any, told: Any, wins: bool) -> Any:
    """What holds of an option that stands in the header (`own`) and, if it `wins`, also on the command line."""
    if not wins:
        return own
    if name == "thread":  # of a function that both name, the command line says how many there are
        named = {text.partition("=")[0].strip() for text in told}
        own = [text for text in own if text.partition("=")[0].strip() not in named]
    return (*own, *told) if isinstance(own, list | tuple) else told


def given(ctx: typer.Context, name: str) -> bool:
    """Whether an option stands on the command line, rather than being left at its default."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _parser(ctx: typer.Context) -> Parse:
    commands: Mapping[str, Any] = cast(Any, ctx.find_root().command).commands

    def parse(words: Sequence[str]) -> typer.Context:
        return cast(typer.Context, commands["check"].make_context("circ", [*words, "--", "file"]))

    return parse


def in_a_line(text: str) -> str:
    """A message of typer's as the rest of a line."""
    text = text.replace("Value error, ", "").replace("Input should be", "it should be").replace("\n", " ")
    return text[:1].lower() + text[1:].rstrip(".")
