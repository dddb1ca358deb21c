"""Calls that concern interrupts and tasks: all interrupts on and off, one handler's on and off, posting, the scheduler.

Each becomes a step on ghost variables; `frontend.interrupts.preemption` says what the ghosts mean for who may run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from frontend.ctypes import FunctionType
from frontend.interrupts.implied_rules import CMSIS, SET_PRIORITY
from frontend.interrupts.known_bits import UNKNOWN, evaluate
from frontend.ir import Address, Call, Function, Module, Place, Store
from frontend.ir.assembly import (
    CLEAR_STATUS,
    MASKS,
    MSP430,
    OFF,
    ON,
    PRIMASK,
    READ_STATUS,
    SET_STATUS,
    STATE,
    UNCLEAR,
    WRITE_STATUS,
    Status,
)
from frontend.ir.interrupt_table import OFF_CALLS, ON_CALLS, STARTS_ON, HandlerRule, InterruptTable
from frontend.memory.objects import Notes
from frontend.memory.sketch import SketchStep
from frontend.program import (
    BOOL,
    SKIP,
    TRUE,
    Assign,
    Assume,
    Binary,
    Block,
    Cast,
    Const,
    Doubt,
    Expr,
    FrontendError,
    Havoc,
    Ite,
    Op,
    Read,
    Role,
    Var,
    Variable,
    negate,
    reads,
)
from frontend.program.fold import fold
from frontend.program.schedule_ghosts import IE, SCHEDULING, enabled, ghost, once_more, posted, priority, sync
from frontend.records import dataclass
from frontend.threads.inline import CallRequest

POST = "TOS_post"
RUN_NEXT = "TOSH_run_next_task"
_SCHEDULER = (POST, RUN_NEXT)


_STATUS_CHANGES = (READ_STATUS, WRITE_STATUS, SET_STATUS, CLEAR_STATUS)
_STATUS_CALLS: Mapping[str, tuple[str, Status]] = {
    "__get_PRIMASK": (READ_STATUS, PRIMASK), "__set_PRIMASK": (WRITE_STATUS, PRIMASK),
    **dict.fromkeys(("__get_interrupt_state", "_get_interrupt_state"), (READ_STATUS, STATE)),
    **dict.fromkeys(("__set_interrupt_state", "_set_interrupt_state"), (WRITE_STATUS, STATE)),
    **dict.fromkeys(("__get_SR_register", "_get_SR_register", "__read_status_register"), (READ_STATUS, MSP430)),
    "__write_status_register": (WRITE_STATUS, MSP430),
    **dict.fromkeys(("__bis_SR_register", "_bis_SR_register", "_BIS_SR", "__bis_status_register"), (SET_STATUS, MSP430)),
    **dict.fromkeys(("__bic_SR_register", "_bic_SR_register", "_BIC_SR", "__bic_status_register"), (CLEAR_STATUS, MSP430)),
}
"""Functions of compilers and vendors that read and change the status register."""
_AT_RETURN = frozenset({"__bic_SR_register_on_exit", "__bis_SR_register_on_exit", "_bic_SR_register_on_exit",
                        "_bis_SR_register_on_exit", "_BIC_SR_IRQ", "_BIS_SR_IRQ"})
"""Functions by which a handler of an MSP430 changes the status that it gives back: mostly the bits that let it sleep."""
_MASKING = frozenset({"__set_BASEPRI", "__set_BASEPRI_MAX", "__set_FAULTMASK", "__disable_fault_irq", "__enable_fault_irq"})
"""Functions that hold back some of the interrupts."""


@dataclass(slots=True)
class Interrupts:
    """The model of one program's interrupt calls. `handlers` are the functions that the table has rules for."""

    table: InterruptTable
    notes: Notes
    has_body: Callable[[str], bool]
    active: bool
    """Whether the program has handlers or tasks at all; without them nothing here does anything."""
    rules: tuple[tuple[str, HandlerRule], ...] = ()
    tasks: frozenset[str] = frozenset()
    returning: frozenset[str] = frozenset()
    """Handlers that switch all interrupts on as they return, even to somebody who calls them like a function."""
    ghosts: dict[str, Variable] = field(default_factory=dict)

    def model(self, request: CallRequest) -> bool:
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
        elif (what := self._status_call(request.call))[0]:
            self._status(request, *what)
        elif name in _AT_RETURN and not self.has_body(name):
            self._change_at_return(request)
        elif name in (UNCLEAR, MASKS) or (name in _MASKING and not self.has_body(name)):
            self._unclear(request, () if name != UNCLEAR else (IE,))
        elif name in SET_PRIORITY and self.table.numbers and len(request.arguments) > 1:
            self._set_priority(request)
        elif any(call[0] == name for _, r in self.rules for call in (*r.on_calls, *r.off_calls)):
            self._enable_one(request)
        elif CMSIS.fullmatch(name) and not self.has_body(name):
            self._add(request, [SKIP if request.result is None else Havoc((request.result,))], (), request.source, request.target)
        else:
            return False
        return True

    def returned(self, request: CallRequest) -> int:
        """Where a called function returns to; what a handler does as it returns lies between there and the target."""
        if not self.active or request.callee not in self.returning:
            return request.target
        self.ghosts.setdefault(IE.name, ghost(IE))
        end = request.inliner.sketch.fresh()
        self._add(request, [Assign(IE, Const(1, BOOL))], (IE,), end, request.target)
        return end

    def switches_on(self, name: str) -> bool:
        return name == ON or name in self.table.on_calls or (name in ON_CALLS and not self.has_body(name))

    def switches_off(self, name: str) -> bool:
        return name == OFF or name in self.table.off_calls or (name in OFF_CALLS and not self.has_body(name))

    def replaces(self, name: str) -> bool:
        """Whether the body of a function is never looked at, because calls of it are modelled here."""
        return self.active and name in _SCHEDULER

    def may_enable(self, functions: Iterable[Function]) -> bool:
        """Whether one of the functions may switch all interrupts on."""
        return any(self._enables(e.instr) for f in functions for e in f.edges)

    def starts_on(self, main: Iterable[Function]) -> bool:
        """Whether all interrupts are on at the start: the table says, else `main` has no code that surely switches them on."""
        if self.table.starts_on is not None:
            return self.table.starts_on
        return not any(self._enables(e.instr, surely=True) for f in main for e in f.edges)

    def _enables(self, instr: object, surely: bool = False) -> bool:
        """Whether an instruction may switch all interrupts on; `surely`: it does, and the processor has them off after reset."""
        match instr:
            case Call(callee=str() as name) as call:
                if self.switches_on(name) or name in self.returning:
                    return not surely or name not in STARTS_ON
                change, status = self._status_call(call)
                if surely:
                    return change == SET_STATUS and not status.inverted and _is_one(call.args[0], status.bit)
                return name == UNCLEAR or change == WRITE_STATUS or change == (CLEAR_STATUS if status.inverted else SET_STATUS)
            case Store(place=Place(base=base), value=value) if not isinstance(base, str):
                folded = fold(base)
                address, k = self.table.status
                if isinstance(folded, Const) and folded.value == self.table.perhaps:
                    return not surely
                here = isinstance(folded, Const) and folded.value == address
                return here and (not surely or (value is not None and _is_one(value, k)))
        return False

    def _status_call(self, call: Call) -> tuple[str, Status]:
        """What a call does to a status register, and to which; `""` if nothing."""
        name = call.callee
        match call.args:
            case (*_, Const(value=bit), Const(value=inverted), Const(value=alone)) if name in _STATUS_CHANGES:
                assert isinstance(name, str)
                return name, Status(bit, bool(inverted), bool(alone))
        known = isinstance(name, str) and name in _STATUS_CALLS and not self.has_body(name)
        return _STATUS_CALLS[str(name)] if known else ("", PRIMASK)

    # ------------------------------------------------------------------------------------------- steps
    def _add(self, request: CallRequest, ops: list[Op], touched: tuple[Var, ...], source: int, target: int) -> None:
        op = ops[0] if len(ops) == 1 else Block(tuple(ops))
        request.inliner.sketch.steps.append(SketchStep(source, target, op, tuple(map(sync, touched)), request.location,
                                                 request.edge.text or request.callee, protected=True))

    def _assign(self, request: CallRequest, v: Var, value: Expr) -> None:
        self.ghosts.setdefault(v.name, ghost(v))
        result: list[Op] = [] if request.result is None else [Havoc((request.result,))]
        self._add(request, [Assign(v, value), *result], (v,), request.source, request.target)

    def _status(self, request: CallRequest, call: str, status: Status) -> None:
        """The register that all interrupts hang on is read, written, or some of its bits are set or cleared."""
        self.ghosts.setdefault(IE.name, ghost(IE))
        result = request.result
        if call == READ_STATUS:
            ops = [] if result is None else self._read_status(result, status)
            if ops:
                self._add(request, ops, (IE,), request.source, request.target)
            else:
                request.inliner.step(request.source, SKIP, request.target, request.edge)
            return
        value = request.arguments[0] if request.arguments else None
        if value is None or isinstance(value, Place) or status.bit >= value.type.width:
            self._unclear(request, (IE,))
            return
        is_one = fold(Binary("!=", Binary("&", value, Const(value.type.wrap(1 << status.bit), value.type)), Const(0, value.type)))
        if call == WRITE_STATUS:
            now: Expr = negate(is_one) if status.inverted else is_one
        else:
            now = Ite(is_one, Const(int((call == SET_STATUS) != status.inverted), BOOL), Read(IE))
        self._assign(request, IE, fold(now))

    def _read_status(self, result: Var, status: Status) -> list[Op]:
        """`result` gets the register: the bit as it is, what else may be there is open."""
        on = negate(Read(IE)) if status.inverted else Read(IE)
        if status.bit >= result.type.width:
            return [Havoc((result,))]
        mask = result.type.wrap(1 << status.bit)
        value: Expr = Ite(on, Const(mask, result.type), Const(0, result.type))
        if status.alone:
            return [Assign(result, value)]
        rest = Binary("&", Read(result), Const(result.type.wrap(~mask), result.type))
        return [Havoc((result,)), Assign(result, Binary("|", rest, value))]

    def _unclear(self, request: CallRequest, lost: tuple[Var, ...]) -> None:
        """Something happens to some interrupts, or to all (`lost`), that is not followed."""
        for v in lost:
            self.ghosts.setdefault(v.name, ghost(v))
        forgotten = (*lost, *(() if request.result is None else (request.result,)))
        doubt = Doubt("which interrupts are held back from here on is not followed", tuple(v.name for v in lost), step=True)
        op = Havoc(forgotten) if forgotten else SKIP
        request.inliner.sketch.steps.append(SketchStep(request.source, request.target, op, tuple(map(sync, lost)),
                                                       request.location,
                                                 request.edge.text or request.callee, protected=True, doubts=(doubt,)))

    def _change_at_return(self, request: CallRequest) -> None:
        """Some bits of the status that a handler gives back are set or cleared; that of the interrupts is not known after it."""
        given = fold(request.arguments[0]) if request.arguments and not isinstance(request.arguments[0], Place) else None
        if isinstance(given, Const) and not given.value >> MSP430.bit & 1:
            request.inliner.step(request.source, SKIP, request.target, request.edge)
        else:
            self._unclear(request, (IE,))

    def _enable_one(self, request: CallRequest) -> None:
        """A call that enables or disables handlers, by number or whatever it is given."""
        ops: list[Op] = []
        touched: list[Var] = []
        number = request.arguments[0] if request.arguments else None
        for handler, rule in self.rules:
            for call, on in (*((c, 1) for c in rule.on_calls), *((c, 0) for c in rule.off_calls)):
                if call[0] != request.callee:
                    continue
                bit = enabled(handler)
                self.ghosts.setdefault(bit.name, ghost(bit, int(rule.on_at_reset)))
                value: Expr = Const(on, BOOL)
                if call[1] >= 0 and number is not None and not isinstance(number, Place):
                    value = fold(Ite(self._meant(number, call[1]), value, Read(bit)))
                ops.append(Assign(bit, value))
                touched.append(bit)
        if request.result is not None:
            ops.append(Havoc((request.result,)))
        self._add(request, ops, tuple(touched), request.source, request.target)

    def _set_priority(self, request: CallRequest) -> None:
        """A call that gives a handler a priority, by number."""
        number, value = request.arguments[:2]
        ops: list[Op] = [] if request.result is None else [Havoc((request.result,))]
        for handler, n in self.table.numbers.items():
            mine = priority(handler)
            self.ghosts.setdefault(mine.name, ghost(mine))
            if self.table.regrouped or isinstance(number, Place) or isinstance(value, Place):
                ops.append(Havoc((mine,)))
                continue
            given = Cast(value, mine.type)
            is_ = Binary("==", number, Const(number.type.wrap(n), number.type))
            ops.append(Assign(mine, fold(Ite(is_, given, Read(mine)))))
        self._add(request, ops or [SKIP], (), request.source, request.target)

    def _meant(self, number: Expr, handler: int) -> Expr:
        """Whether a number that a call is given means a handler: it is its own, or that of all."""
        def is_(n: int) -> Expr:
            return Binary("==", number, Const(number.type.wrap(n), number.type))

        own = is_(handler)
        return own if self.table.every is None else Ite(is_(self.table.every), TRUE, own)

    # ------------------------------------------------------------------------------------------- tasks
    def _post(self, request: CallRequest) -> None:
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

    def _gives(self, request: CallRequest, value: int) -> list[Op]:
        return [] if request.result is None else [Assign(request.result, Const(value, request.result.type))]

    def _run_next(self, request: CallRequest) -> None:
        """Tasks run here, any number of them; whether there was one is left open."""
        if request.inliner.role is not Role.MAIN:
            raise FrontendError(request.location, f"'{RUN_NEXT}' is called elsewhere than by 'main'",
                                "tasks inside tasks are not modelled: let main alone run the scheduler")
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


def _is_one(value: Expr | Place, k: int) -> bool:
    """Whether bit `k` of a value is 1, whatever the variables in it are."""
    if isinstance(value, Place):
        return False
    known, ones = evaluate(value, lambda _: UNKNOWN)
    return bool(known & ones & 1 << k)


def _registers(argument: Expr | Place) -> list[Var]:
    return [] if isinstance(argument, Place) else [v for v in reads(argument) if isinstance(v, Var)]
