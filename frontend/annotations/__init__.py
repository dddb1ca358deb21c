"""Annotations: comments `//@ ...` in; clauses, what they belong to, and their formulas out, as claims of the program.

It may not know how C is lowered, what pointers point to or which threads there are: whoever builds automata brings variables and
places, and is handed formulas over them.
"""

__all__ = ["atomic_bodies", "attach", "attached", "claims", "clauses", "contracts", "ghosts", "notes", "predicate", "thread_ids",
           "two_state"]
