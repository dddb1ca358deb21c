"""The passes that make a program: a module of lowered functions comes in, a `Program` of thread automata goes out.

Several files are joined to one module first (`joined`). `passes.link` is the list of passes, read from top to bottom; the other
modules are the passes by job. This room may know every other one but `frontend.text` and `frontend.lower`: it sees functions as
`frontend.ir` has them, never C text.
"""

from frontend.link.joined import Joined
from frontend.link.options import Annotations, Finders, LinkOptions
from frontend.link.passes import link
from frontend.link.startup import has_startup

__all__ = ["Annotations", "Finders", "Joined", "LinkOptions", "has_startup", "link"]
