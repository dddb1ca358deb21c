"""The front end as a library: C files in, a `Program` out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from frontend.program import Program, deep_recursion, read_source
from frontend.reading import DEFAULT_OPTIONS, LoadOptions, SourceFile, interrupt_table, parsed_file, preprocessed, read_project

if TYPE_CHECKING:
    from frontend.text.places.statements import Statement, Statements
    from frontend.text.preprocess import Preprocessed

__all__ = ["DEFAULT_OPTIONS", "LoadOptions", "SourceFile", "interrupt_table", "load", "load_project", "loads", "parsed_file",
           "preprocessed", "statements_of"]


def statements_of(files: Sequence[str | Path | SourceFile], options: LoadOptions = DEFAULT_OPTIONS) -> Statements:
    """The statements of C files, for those who speak of places as C has them; raises FrontendError."""
    from frontend.text.places.line_marks import LineMarks
    from frontend.text.places.statements import Statements, statements

    found: list[Statement] = []
    marks: list[LineMarks] = []
    for name in files:
        file = name if isinstance(name, SourceFile) else SourceFile(str(name))
        parsed = parsed_file(file, options)
        text = file.text if file.text is not None else read_source(file.path)
        marks.append(LineMarks(file.path, text))
        with deep_recursion():
            found += statements(parsed, text, marks[-1])
    return Statements(found, marks)


def load(path: str | Path, options: LoadOptions = DEFAULT_OPTIONS, text: Preprocessed | None = None) -> Program:
    """The program in a C file (or a preprocessed `.i` file); raises FrontendError for anything wrong with it.

    `text` is what `preprocessed` gave for the same file and options, if that is known; it is used up.
    """
    return load_project([SourceFile(str(path))], options, None if text is None else [text])


def loads(text: str, options: LoadOptions = DEFAULT_OPTIONS, name: str = "<text>") -> Program:
    """The program in a C text; `name` is what the file is called in messages, and its folder is searched for headers."""
    return load_project([SourceFile(name, text=text)], options)


def load_project(files: Sequence[str | Path | SourceFile], options: LoadOptions = DEFAULT_OPTIONS,
                 texts: Sequence[Preprocessed] | None = None) -> Program:
    """The program that several C files make together, as `cc a.c b.c` makes it; raises FrontendError for anything wrong.

    `texts`: what `preprocessed` gave for these files and options, if that is known; it is used up.
    """
    from frontend.finders import FINDERS

    if not options.contracts and not options.stack:
        return read_project(files, options, texts, FINDERS)
    from frontend.annotated import ANNOTATIONS, with_procedures

    return read_project(files, options, texts, FINDERS, ANNOTATIONS if options.contracts else None,
                        with_procedures if options.stack else None)
