"""C in, control-flow automata out: `load(path)`, or `load_project(files)`, gives a `Program` for the engines."""

from frontend.api import LoadOptions, SourceFile, load, load_project, preprocessed
from frontend.program import FrontendError
from frontend.program.variable_names import resolve_variable

__all__ = ["FrontendError", "LoadOptions", "SourceFile", "load", "load_project", "preprocessed", "resolve_variable"]
