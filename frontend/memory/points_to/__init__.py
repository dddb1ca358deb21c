"""Points-to analysis: the functions of a module in, what every pointer may point to and what every call may reach out.

`analysis` has the questions, `closed_graph` tests what somebody else has solved, `instructions`, `memory_constraints`,
`externals` and `handed_over` say what the program adds to the graph. It may not know of threads, automata or how accesses
become steps.
"""

from frontend.memory.points_to.analysis import PointsTo, Solver
from frontend.memory.points_to.closed_graph import PointerSets
from frontend.memory.points_to.externals import points_to_const
from frontend.memory.points_to.heap import heap_types
from frontend.memory.points_to.reachable_objects import ReachableObjects
from frontend.memory.points_to.targets import (
    ANY,
    COMPUTED,
    INTEGER,
    NO_OBJECT,
    UNKNOWN,
    FunctionEdge,
    PointerNode,
    Shift,
    Target,
    Targets,
    is_inside,
    walks,
)

__all__ = ["ANY", "COMPUTED", "INTEGER", "NO_OBJECT", "UNKNOWN", "FunctionEdge", "PointerNode", "PointerSets", "PointsTo",
           "ReachableObjects", "Shift", "Solver", "Target", "Targets", "heap_types", "is_inside", "points_to_const", "walks"]
