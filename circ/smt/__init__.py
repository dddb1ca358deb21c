"""Typed expressions in, terms of the solver and its answers out: the only room that imports z3. It knows nothing of threads.

Trusted: `terms`, `encoder` and `solver`, whose names are exported here. Not trusted, and modules of their own:
`interpolation` (predicates from infeasible traces), which the kernel may not import, and `effort` (what the solver has spent).
"""

from circ.smt.encoder import Encoder, Inexpressible, SymbolicState
from circ.smt.solver import SatResult, Solver, decide_apart
from circ.smt.terms import (
    Term,
    boolean,
    conjunction,
    constant_like,
    disjunction,
    element,
    equality,
    implication,
    is_negation,
    key,
    loosened,
    names,
    negation,
    rename,
    select,
    without_stores,
)

__all__ = [
    "Encoder",
    "Inexpressible",
    "SatResult",
    "Solver",
    "SymbolicState",
    "Term",
    "boolean",
    "conjunction",
    "constant_like",
    "decide_apart",
    "disjunction",
    "effort",
    "element",
    "equality",
    "implication",
    "interpolation",
    "is_negation",
    "key",
    "loosened",
    "names",
    "negation",
    "rename",
    "select",
    "without_stores",
]
