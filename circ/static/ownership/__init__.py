"""A program comes in; a proof goes out that every access to some allocated objects is by their one owner, if it can be found.

What is counted as a link, and which lock guards what, is guessed from the program (`candidates`); what holds at each location is
worked out with the kernel's own steps (`fixpoint`). It may be wrong: the kernel checks all that comes of it.
"""

from circ.static.ownership.proofs import Ownership

__all__ = ["Ownership"]
