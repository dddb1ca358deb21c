"""HTML text: elements whose attributes and contents are escaped, so that nothing of a source file becomes markup."""

from __future__ import annotations

from html import escape
from typing import NewType

from circ.report.terminal.plain_text import printable

Html = NewType("Html", str)
"""Markup that is safe to put into a page."""


def text(content: str) -> Html:
    """Text as text, control characters and bytes that are no text written out."""
    return Html(escape(printable(content).encode("utf-8", "backslashreplace").decode()))


def element(tag: str, *contents: Html | str, **attributes: str | bool | None) -> Html:
    """An element; contents that are no `Html` must be made so by `text`. `class_` and `data_x` become `class` and `data-x`."""
    said = "".join(f" {name.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{text(str(value))}"')
                   for name, value in attributes.items() if value is not None and value is not False)
    return Html(f"<{tag}{said}>{''.join(contents)}</{tag}>")


def joined(*parts: Html) -> Html:
    return Html("".join(parts))
