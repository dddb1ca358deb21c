"""Places in C files as others name them: an AST in; statements with their scopes, and the lines of preprocessed files, out.

It knows nothing of automata: their steps stand at operands, and whoever has both leads from the one to the other.
"""

__all__ = ["as_written", "line_marks", "statements"]
