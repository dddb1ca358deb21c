"""YAML that anybody may have written, as plain data with line numbers.

Aliases are refused (a few lines of them stand for terabytes), nesting and size are limited, tags mean nothing: every scalar is
its text. What is wrong is a FrontendError with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from frontend.program import FrontendError, Location
from frontend.records import dataclass

DEEPEST = 40
LONGEST = 16_000_000
MOST_NODES = 200_000


@dataclass(frozen=True, slots=True)
class Scalar:
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Sequence:
    items: tuple[Node, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Mapping:
    items: dict[str, Node]
    line: int


Node: TypeAlias = Scalar | Sequence | Mapping


def read_yaml(text: str, path: str) -> Node:
    """The only document of a text."""
    import yaml

    if len(text) > LONGEST:
        raise wrong(path, 1, f"more than {LONGEST} characters")
    directive = re.search(r"(?m)^\ufeff?%", text)
    if directive is not None:  # thousands of them take the parser minutes
        raise wrong(path, text.count("\n", 0, directive.start()) + 1, "a directive")
    try:
        return _Builder(iter(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))), path).document()
    except yaml.MarkedYAMLError as error:
        line = 1 if error.problem_mark is None else error.problem_mark.line + 1
        raise wrong(path, line, f"no YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise wrong(path, 1, f"no YAML: {str(error).splitlines()[0]}") from None


def wrong(path: str, line: int, what: str) -> FrontendError:
    return FrontendError(Location(path, line), what, "see docs/witnesses.md")


class _Builder:
    """Makes data of the events of a YAML parser."""

    def __init__(self, events: Iterator[Any], path: str) -> None:
        self.events, self.path, self.nodes = events, path, 0

    def document(self) -> Node:
        import yaml

        found: list[Node] = []
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if found:
                    raise wrong(self.path, event.start_mark.line + 1, "a second document")
                found.append(self.node(next(self.events), 0))
        if not found:
            raise wrong(self.path, 1, "there is nothing in it")
        return found[0]

    def node(self, event: Any, depth: int) -> Node:
        import yaml

        line = event.start_mark.line + 1
        self.nodes += 1
        if self.nodes > MOST_NODES or depth > DEEPEST:
            raise wrong(self.path, line, "it is too large, or too deeply nested")
        if isinstance(event, yaml.AliasEvent):
            raise wrong(self.path, line, "an alias, which witnesses do not have")
        if isinstance(event, yaml.ScalarEvent):
            return Scalar(event.value, line)
        if isinstance(event, yaml.SequenceStartEvent):
            return Sequence(tuple(self.until(yaml.SequenceEndEvent, depth)), line)
        children = list(self.until(yaml.MappingEndEvent, depth))
        items: dict[str, Node] = {}
        for key, value in zip(children[::2], children[1::2], strict=True):
            if not isinstance(key, Scalar) or key.text in items:
                raise wrong(self.path, key.line, "a key that is no text, or is there twice")
            items[key.text] = value
        return Mapping(items, line)

    def until(self, end: type, depth: int) -> Iterator[Node]:
        while not isinstance(event := next(self.events), end):
            yield self.node(event, depth + 1)
