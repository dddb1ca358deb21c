"""What everybody shares: source locations, typed expressions, operations, automata, `Program`, and how they are shown and drawn.

The front end builds programs, circ checks them, and both compute with expressions by `fold` and `exact`. It may not
know of C's syntax and types, nor of any analysis.
"""

from frontend.program.cfa import RETURN, Access, AccessKind, Cfa, Doubt, Edge, ErrorKind, ErrorLocation, K, calls_copy
from frontend.program.expr import (
    ARITHMETIC,
    BOOL,
    COMPARISONS,
    FALSE,
    LEVEL,
    LOGICAL,
    TRUE,
    Binary,
    Cast,
    Const,
    Element,
    Expr,
    Ite,
    Lvalue,
    Read,
    Scalar,
    Unary,
    Var,
    children,
    negate,
    reads,
    show,
    show_lvalue,
    substitute,
    truth,
    variables,
)
from frontend.program.models import DATA_MODELS, ILP32, IP16, LP64, PLATFORMS, DataModel, Ints, Preemption, RaceModel
from frontend.program.ops import SKIP, AllAt, Assign, Assume, Block, Havoc, Op, name_of, op_reads, op_writes, primitive, show_op
from frontend.program.program import (
    CALLER,
    UNBOUNDED_LENGTH,
    ZERO,
    Arbitrary,
    Assumption,
    CallSite,
    Exempt,
    FunctionText,
    Invariant,
    Procedures,
    Program,
    Rely,
    Role,
    Self,
    Start,
    ThreadTemplate,
    Values,
    Variable,
    plain_edge,
)
from frontend.program.source import (
    COPIED,
    END_OF_INPUT,
    IN_LIBRARY,
    MAX_AST_DEPTH,
    MAX_DATA,
    MAX_NESTING,
    MAX_SOURCE,
    NOWHERE,
    FrontendError,
    Location,
    NotModelled,
    OptionError,
    deep_recursion,
    displayed,
    no_collection,
    no_plain_file,
    read_data,
    read_source,
    source_text,
    too_large,
)

__all__ = [
    "ARITHMETIC", "Access", "AccessKind", "AllAt", "Arbitrary", "Assign", "Assume", "Assumption", "BOOL", "Binary",
    "Block", "CALLER", "COMPARISONS", "COPIED", "CallSite", "Cast", "Cfa", "Const", "DATA_MODELS", "DataModel", "Doubt", "Edge",
    "END_OF_INPUT", "Element", "PLATFORMS", "ErrorKind", "ErrorLocation", "Exempt", "Expr", "FALSE", "FrontendError",
    "FunctionText", "Havoc", "ILP32", "IN_LIBRARY", "IP16", "Ints", "Invariant",
    "Ite", "K", "LEVEL", "LOGICAL", "LP64", "Location", "Lvalue", "MAX_AST_DEPTH", "MAX_DATA", "MAX_NESTING", "MAX_SOURCE",
    "NOWHERE", "NotModelled", "Op", "OptionError", "Preemption", "Procedures", "Program", "RETURN", "RaceModel", "Read", "Rely",
    "Role", "SKIP", "Scalar", "Self", "Start",
    "TRUE", "ThreadTemplate", "UNBOUNDED_LENGTH", "Unary", "Values", "Var", "Variable", "ZERO", "calls_copy",
    "children", "deep_recursion", "displayed", "name_of", "negate", "no_collection", "no_plain_file", "op_reads", "op_writes",
    "plain_edge", "primitive",
    "read_data", "read_source", "reads", "show", "show_lvalue", "show_op", "source_text",
    "substitute", "too_large", "truth", "variables",
    # modules
    "bits", "components", "connectives", "display", "draw", "exact", "fold", "schedule_ghosts", "variable_names",
]
