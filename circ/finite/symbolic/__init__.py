"""Finite systems on decision diagrams: a closed `FiniteSystem` in; sets of states, the modular fixpoint, its certificate out.

In comes a finite system whose domains are all known. Out go `SymbolicSystem` (start, steps both ways, error states as diagrams),
`SymbolicModular` (the thread-modular fixpoint over it) and `symbolic_certificate`. It may not know when or why classes of values
are refined: that is the engine's business (`circ.finite.refinement`). Nothing else imports `dd`.
"""

from circ.finite.symbolic.encoding import StateSet
from circ.finite.symbolic.fixpoint import SymbolicModular, ValueClasses, exposed, hidden, predicates, split
from circ.finite.symbolic.symbolic_certificates import symbolic_certificate
from circ.finite.symbolic.symbolic_system import SymbolicSystem

__all__ = ["StateSet", "SymbolicModular", "SymbolicSystem", "ValueClasses", "exposed", "hidden", "predicates", "split",
           "symbolic_certificate"]
