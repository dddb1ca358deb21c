"""Operations as some of the variables see them: what is left of them lets everything happen that could happen before.

Every operation on another variable loses its effect, every guard that reads one passes, and a kept variable that is
assigned from one gets an arbitrary value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from frontend.program import (
    SKIP,
    TRUE,
    AllAt,
    Assign,
    Assume,
    Binary,
    Block,
    Element,
    Expr,
    Havoc,
    Lvalue,
    Op,
    name_of,
    variables,
)


def weaken_op(op: Op, kept: Callable[[str], bool]) -> Op:
    """The operation with its effect on the kept variables only; never removes a behaviour."""
    match op:
        case Assume(cond=c):
            weak = weaken_condition(c, kept)
            return SKIP if weak == TRUE else Assume(weak)
        case Assign(target=t, value=e):
            if not kept(name_of(t)):
                return SKIP
            if not all(map(kept, index_variables(t))):
                return Havoc((), (name_of(t),))
            return op if all(map(kept, variables(e))) else Havoc((t,))
        case Havoc(targets=ts, whole=ws):
            exact = tuple(t for t in ts if kept(name_of(t)) and all(map(kept, index_variables(t))))
            blurred = tuple(dict.fromkeys(name_of(t) for t in ts if kept(name_of(t)) and t not in exact))
            arrays = (*blurred, *(w for w in ws if kept(w)))
            return Havoc(exact, arrays) if exact or arrays else SKIP
        case AllAt():
            return op
        case Block(ops=ops):
            parts = tuple(p for p in (weaken_op(o, kept) for o in ops) if p != SKIP)
            return parts[0] if len(parts) == 1 else Block(parts)
        case _:
            assert_never(op)


def index_variables(v: Lvalue) -> frozenset[str]:
    """What must be known to tell which cell `v` is."""
    return variables(v.index) if isinstance(v, Element) else frozenset()


def weaken_condition(c: Expr, kept: Callable[[str], bool]) -> Expr:
    """A condition over kept variables that `c` implies."""
    if all(map(kept, variables(c))):
        return c
    if isinstance(c, Binary) and c.op == "&&":
        left, right = weaken_condition(c.left, kept), weaken_condition(c.right, kept)
        if left == TRUE:
            return right
        return left if right == TRUE else Binary("&&", left, right)
    return TRUE
