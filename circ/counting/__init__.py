"""A program whose threads take few states comes in; its local states, the tuples of them that can occur, and a proof go out.

It may not know of predicates or refinement: values are enumerated, or it says that there are too many.
"""

__all__ = ["by_values", "local_states"]
