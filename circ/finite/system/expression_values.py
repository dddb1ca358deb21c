"""The value of an expression in a finite state, by the code that the interpreter generates for it (`circ.semantics`)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

from circ.semantics.evaluation import RUNTIME, Coder
from frontend.program import (
    Element,
    Expr,
    Ints,
    reads,
)

ReadCell: TypeAlias = Callable[[str, int | None], int]
"""The value of a scalar (index None) or of an array's element."""


def evaluate(e: Expr, read: ReadCell, math: bool = False) -> int:
    """The value of an expression in the state given by `read`, by the interpreter's own code for it."""
    return _compiled(e, math)(read)


@functools.lru_cache(maxsize=1 << 16)
def _compiled(e: Expr, math: bool) -> Callable[[ReadCell], int]:
    arrays = {v.array for v in reads(e) if isinstance(v, Element)}

    def place(name: str) -> tuple[str, str, int]:
        return (repr(name) if name in arrays else f"read({name!r}, None)"), name, 0

    coder = Coder(Ints.MATH if math else Ints.EXACT, place)
    result = coder.value(e)
    body = "\n    ".join([*coder.lines, f"return {result}"])
    scope: dict[str, Any] = dict(RUNTIME)
    exec(f"def run(read):\n    load = lambda array, index, owner, slot: read(array, index)\n    {body}", scope)
    run: Callable[[ReadCell], int] = scope["run"]
    return run
