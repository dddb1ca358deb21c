"""The ghost variables that interrupts and tasks are told by: who is enabled, posted, armed, and what runs on the stack."""

from __future__ import annotations

from frontend.program.cfa import Access, AccessKind
from frontend.program.expr import BOOL, Binary, Const, Expr, Ite, Read, Scalar, Var
from frontend.program.ops import Assume, Op
from frontend.program.program import Values, Variable

COUNT = Scalar(2, False)
"""How often a task is posted or a handler armed: 0, 1, or 2 for more than once."""

IE = Var("<interrupts on>", BOOL)
ACTIVE = Var("<active>", BOOL)
"""Set and cleared by the steps that enter and leave a handler or task; `frontend.interrupts.preemption` replaces those steps."""
SCHEDULING = Var("<scheduling>", BOOL)
"""The same for the steps around the place where `main` lets tasks run."""


def posted(task: str) -> Var:
    return Var(f"<{task} posted>", COUNT)


def enabled(handler: str) -> Var:
    return Var(f"<{handler} enabled>", BOOL)


PRIORITY = Scalar(8, False)


def priority(handler: str) -> Var:
    """What a handler's priority is; `frontend.interrupts.handler_facts` takes the steps that set it out again."""
    return Var(f"<{handler} priority>", PRIORITY)


def ghost(v: Var, start: int = 0) -> Variable:
    """A ghost global."""
    return Variable(v.name, v.type, None, Values(start), v.name, ghost=True)


def once_more(count: Var) -> Expr:
    """The count of something that happened once more."""
    return Ite(Binary("==", Read(count), Const(0, COUNT)), Const(1, COUNT), Const(2, COUNT))


def sync(v: Var) -> Access:
    return Access(v, True, kind=AccessKind.SYNC)


DEPTH = Scalar(16, False)
STACK = Var("<handlers on the stack>", DEPTH)
LEVEL = Var("<level>", DEPTH)
"""A handler's own place on the stack. Where the counter wraps around, more may run than on a real stack, never less."""
ON_TOP = Assume(Binary("==", Read(LEVEL), Read(STACK)))


def is_schedule(name: str) -> bool:
    """Whether a ghost variable tells how often something is due: seldom what protects anything."""
    return name.endswith((" posted>", " armed>"))


def is_depth(name: str) -> bool:
    """Whether a ghost variable counts the handlers on the stack."""
    return name == STACK.name


def is_level_guard(op: Op) -> bool:
    """Whether the operation only waits until a handler is on top of the stack again."""
    return op == ON_TOP
