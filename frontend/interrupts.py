"""Calls that concern interrupts and tasks: all interrupts on and off, one handler's on and off, posting, the scheduler.

Each becomes a step on ghost variables; `frontend.preemption` says what the ghosts mean for who may run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from frontend.cfa import SKIP, Access, AccessKind, Assign, Assume, Block, Havoc, Op, Values, Variable
from frontend.expr import BOOL, Binary, Const, Expr, Ite, Read, Scalar, Var, negate, reads
from frontend.fold import cast, fold
from frontend.inline import Request
from frontend.interrupt_table import OFF_CALLS, ON_CALLS, Rule, Table
from frontend.ir import Address, Call, Function, Module, Place, Store
from frontend.objects import Notes
from frontend.source import FrontendError
from frontend.steps import Step
from frontend.types import FunctionType

COUNT = Scalar(2, False)
"""How often a task is posted or a handler armed: 0, 1, or 2 for more than once."""

IE = Var("<interrupts on>", BOOL)
ACTIVE = Var("<active>", BOOL)
"""Set and cleared by the steps that enter and leave a handler or task; `frontend.preemption` replaces those steps."""
SCHEDULING = Var("<scheduling>", BOOL)
"""The same for the steps around the place where `main` lets tasks run."""

POST = "TOS_post"
RUN_NEXT = "TOSH_run_next_task"
_SCHEDULER = (POST, RUN_NEXT)


def posted(task: str) -> Var:
    return Var(f"<{task} posted>", COUNT)


def enabled(handler: str) -> Var:
    return Var(f"<{handler} enabled>", BOOL)


def ghost(v: Var, start: int = 0) -> Variable:
    """A ghost global."""
    return Variable(v.name, v.type, None, Values(start), v.name, ghost=True)


def once_more(count: Var) -> Expr:
    """The count of something that happened once more."""
    return Ite(Binary("==", Read(count), Const(0, COUNT)), Const(1, COUNT), Const(2, COUNT))


def sync(v: Var) -> Access:
    return Access(v, True, kind=AccessKind.SYNC)


@dataclass(slots=True)
class Interrupts:
    """The model of one program's interrupt calls. `handlers` are the functions that the table has rules for."""

    table: Table
    notes: Notes
    has_body: Callable[[str], bool]
    active: bool
    """Whether the program has handlers or tasks at all; without them nothing here does anything."""
    rules: tuple[tuple[str, Rule], ...] = ()
    tasks: frozenset[str] = frozenset()
    ghosts: dict[str, Variable] = field(default_factory=dict)

    def model(self, request: Request) -> bool:
        """Model the call if it is one of these."""
        if not self.active:
            return False
        name = request.callee
        if name == POST and request.arguments:
            self._post(request)
        elif name == RUN_NEXT:
            self._run_next(request)
        elif self.switches_on(name) or self.switches_off(name):
            self._assign(request, IE, Const(int(self.switches_on(name)), BOOL))
        elif name in ("__get_PRIMASK", "__set_PRIMASK") and not self.has_body(name):
            self._mask(request)
        elif any(call is not None and call[0] == name for _, r in self.rules for call in (r.on_call, r.off_call)):
            self._enable_one(request)
        else:
            return False
        return True

    def switches_on(self, name: str) -> bool:
        return name in self.table.on_calls or (name in ON_CALLS and not self.has_body(name))

    def switches_off(self, name: str) -> bool:
        return name in self.table.off_calls or (name in OFF_CALLS and not self.has_body(name))

    def replaces(self, name: str) -> bool:
        """Whether the body of a function is never looked at, because calls of it are modelled here."""
        return self.active and name in _SCHEDULER

    def may_enable(self, functions: Iterable[Function]) -> bool:
        """Whether one of the functions may switch all interrupts on."""
        return any(self._enables(e.instr) for f in functions for e in f.edges)

    def _enables(self, instr: object) -> bool:
        match instr:
            case Call(callee=str() as name):
                return self.switches_on(name) or name == "__set_PRIMASK"
            case Store(place=Place(base=base)) if not isinstance(base, str):
                folded = fold(base)
                return isinstance(folded, Const) and folded.value == self.table.status[0]
        return False

    # ------------------------------------------------------------------------------------------- steps
    def _add(self, request: Request, ops: list[Op], touched: tuple[Var, ...], source: int, target: int) -> None:
        op = ops[0] if len(ops) == 1 else Block(tuple(ops))
        request.inliner.sketch.steps.append(Step(source, target, op, tuple(map(sync, touched)), request.location,
                                                 request.edge.text or request.callee, protected=True))

    def _assign(self, request: Request, v: Var, value: Expr) -> None:
        self.ghosts.setdefault(v.name, ghost(v))
        result: list[Op] = [] if request.result is None else [Havoc((request.result,))]
        self._add(request, [Assign(v, value), *result], (v,), request.source, request.target)

    def _mask(self, request: Request) -> None:
        """PRIMASK of a Cortex-M: 1 while interrupts are off."""
        self.ghosts.setdefault(IE.name, ghost(IE))
        if request.callee == "__set_PRIMASK" and request.arguments and not isinstance(request.arguments[0], Place):
            value = request.arguments[0]
            odd = Binary("!=", Binary("&", value, Const(1, value.type)), Const(0, value.type))
            self._assign(request, IE, negate(fold(odd)))
        elif request.result is not None:
            value = cast(negate(Read(IE)), request.result.type)
            self._add(request, [Assign(request.result, value)], (IE,), request.source, request.target)
        else:
            request.inliner.step(request.source, SKIP, request.target, request.edge)

    def _enable_one(self, request: Request) -> None:
        """One of a pair of calls that enable and disable handlers by number."""
        ops: list[Op] = []
        touched: list[Var] = []
        number = request.arguments[0] if request.arguments else None
        for handler, rule in self.rules:
            for call, on in ((rule.on_call, 1), (rule.off_call, 0)):
                if call is None or call[0] != request.callee:
                    continue
                bit = enabled(handler)
                self.ghosts.setdefault(bit.name, ghost(bit))
                value: Expr = Const(on, BOOL)
                if call[1] >= 0 and number is not None and not isinstance(number, Place):
                    value = fold(Ite(Binary("==", number, Const(number.type.wrap(call[1]), number.type)), value, Read(bit)))
                ops.append(Assign(bit, value))
                touched.append(bit)
        if request.result is not None:
            ops.append(Havoc((request.result,)))
        self._add(request, ops, tuple(touched), request.source, request.target)

    # ------------------------------------------------------------------------------------------- tasks
    def _post(self, request: Request) -> None:
        """A task is posted, or not if the queue is full."""
        pointer, raw = request.arguments[0], request.call.args[0]
        assert not isinstance(pointer, Place) and not isinstance(raw, Place)
        inliner = request.inliner
        names = inliner.accesses.world.pointsto.functions(request.frame.function.name, raw, 0)
        if not names or not set(names) <= self.tasks:
            raise FrontendError(request.location, "it is not known which task is posted here", "post a task by its name")
        for name in names:
            chosen = request.source
            if len(names) > 1:
                chosen = inliner.sketch.fresh()
                guard = inliner.accesses.is_function(pointer, name, request.location)
                inliner.step(request.source, Assume(guard), chosen, request.edge, total=True)
            count = posted(name)
            self.ghosts.setdefault(count.name, ghost(count))
            self._add(request, [Assign(count, once_more(count)), *self._gives(request, 1)], (count,), chosen, request.target)
        if request.result is not None:
            inliner.step(request.source, Block(tuple(self._gives(request, 0))), request.target, request.edge)

    def _gives(self, request: Request, value: int) -> list[Op]:
        return [] if request.result is None else [Assign(request.result, Const(value, request.result.type))]

    def _run_next(self, request: Request) -> None:
        """Tasks run here, any number of them; whether there was one is left open."""
        self.notes.assume(f"'{RUN_NEXT}' runs a posted task, and '{POST}' posts one: the queue between them is taken as read",
                          request.location)
        self.ghosts.setdefault(SCHEDULING.name, ghost(SCHEDULING))
        inside = request.inliner.sketch.fresh()
        self._add(request, [Assign(SCHEDULING, Const(1, BOOL))], (SCHEDULING,), request.source, inside)
        result: list[Op] = [] if request.result is None else [Havoc((request.result,))]
        self._add(request, [Assign(SCHEDULING, Const(0, BOOL)), *result], (SCHEDULING,), inside, request.target)


def posted_tasks(module: Module, roots: Iterable[str], body: Callable[[str], Function | None]) -> dict[str, None]:
    """Every function that code reached from the roots posts as a task, in the order in which it is met."""
    tasks: dict[str, None] = {}
    seen: set[str] = set()
    work = list(roots)
    while work:
        name = work.pop()
        function = None if name in seen or name in _SCHEDULER else body(name)
        seen.add(name)
        if function is None:
            continue
        addresses: dict[str, list[str]] = {}
        for edge in function.edges:
            match edge.instr:
                case Address(target=target, place=Place(base=str() as base, type=FunctionType())):
                    addresses.setdefault(target.name, []).append(base)
        for edge in function.edges:
            match edge.instr:
                case Call(callee="TOS_post", args=(argument, *_)):
                    found = [task for v in _registers(argument) for task in addresses.get(v.name, ())]
                    if not found:  # else whatever the pointer points to would be missing among the tasks
                        raise FrontendError(edge.location, "it is not known which task is posted here", "post a task by its name")
                    for task in found:
                        decl = module.declarations.get(task)
                        if decl is None or not decl.defined:
                            raise FrontendError(edge.location, f"task '{task}' is posted but not defined",
                                                "define it, or do not post it")
                        tasks.setdefault(task)
                        work.append(task)
                case Call(callee=str() as callee):
                    work.append(callee)
                case Address(place=Place(base=str() as base, type=FunctionType())):
                    work.append(base)
    return tasks


def _registers(argument: Expr | Place) -> list[Var]:
    return [] if isinstance(argument, Place) else [v for v in reads(argument) if isinstance(v, Var)]
