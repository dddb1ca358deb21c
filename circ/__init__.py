"""Race checker for C: proves that a program has no data race, or shows the interleaving that makes one.

    import circ, frontend
    result = circ.check(frontend.load("a.c"))
"""

from circ.run.check import check, verify
from circ.run.supervise import Limits

__all__ = ["Limits", "check", "verify"]
