"""C in, control-flow automata out: `load(path)` gives a `Program` for the engines."""

from frontend.api import LoadOptions, load, preprocessed
from frontend.program import FrontendError
from frontend.program.variable_names import resolve_variable

__all__ = ["FrontendError", "LoadOptions", "load", "preprocessed", "resolve_variable"]
