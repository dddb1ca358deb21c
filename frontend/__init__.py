"""C in, control-flow automata out: `load(path)` gives a `Program` for the engines."""

from frontend.api import LoadOptions, load
from frontend.compact import Compaction, compact
from frontend.names import resolve_variable
from frontend.source import FrontendError

__all__ = ["Compaction", "FrontendError", "LoadOptions", "compact", "load", "resolve_variable"]
