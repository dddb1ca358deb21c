"""Race checker for C: proves that a program has no data race, or shows the interleaving that makes one.

    import circ, frontend
    result = circ.check(frontend.load("a.c"))

What a result holds is in `circ.verdict`, what a program is in `frontend.program` (docs/library.md).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from circ.run.check import check, verify
    from circ.run.supervise import Limits

    __version__: str

__all__ = ["Limits", "__version__", "check", "verify"]

_WHERE = {"Limits": "circ.run.supervise", "check": "circ.run.check", "verify": "circ.run.check"}


def __getattr__(name: str) -> Any:
    """What the package offers is imported when it is first asked for: `circ --help` needs none of it."""
    if name == "__version__":
        from circ.report.json import circ_version

        return circ_version()
    if name not in _WHERE:
        raise AttributeError(f"module 'circ' has no attribute {name!r}")
    return getattr(import_module(_WHERE[name]), name)
