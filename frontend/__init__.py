"""C in, control-flow automata out: `load(path)`, `loads(text)` or `load_project(files)` gives a `Program` for the engines."""

from frontend.api import LoadOptions, SourceFile, load, load_project, loads, preprocessed
from frontend.program import FrontendError
from frontend.program.variable_names import resolve_variable

__all__ = ["FrontendError", "LoadOptions", "SourceFile", "load", "load_project", "loads", "preprocessed", "resolve_variable"]
