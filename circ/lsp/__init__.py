"""An editor's requests come in (Language Server Protocol); diagnostics, hovers, lenses and actions about races go out.

It asks `circ serve`, in a process of its own, and shows what that tells; it proves and reads nothing itself, and may not know how
that is done.
"""

__all__ = ["server"]
