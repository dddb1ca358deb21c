"""The values that library functions give: what the world decides is open, what is computed or decided elsewhere is in doubt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

from frontend.ir import Call, Place
from frontend.ir.library_inputs import (
    AT_MOST,
    CHANNELS,
    CONVERSIONS,
    COUNTS,
    DESCRIPTORS,
    EXCLUSIVE,
    FILES,
    FLAGS,
    INPUTS,
    MODES,
    NUMBERS_OF_FILES,
    OPENERS,
    PROCESS,
    RECEIVERS,
    SENDERS,
    WATCHERS,
)
from frontend.ir.library_table import KNOWN, LibraryResult
from frontend.library.thread_creation import sync
from frontend.memory.points_to import Targets
from frontend.memory.sketch import SketchStep
from frontend.program import (
    SKIP,
    Arbitrary,
    Assign,
    Assume,
    Binary,
    Block,
    Const,
    Doubt,
    Expr,
    Havoc,
    Op,
    Read,
    Scalar,
    Values,
    Var,
    Variable,
)
from frontend.program.fold import cast, fold
from frontend.threads.inline import CallRequest

_COUNT = Scalar(8, False)
_MOST = 200
_SENT = Var("<sent>", _COUNT)
"""How much was sent on the channel and not received."""


class Channels(Enum):
    """Whether what waits for input may wait for another thread."""

    NONE = "the program does not send to itself"
    ONE = "the only file with a number that the program does not know is one channel, which it makes once"
    SOME = "it may send to itself"


def find_channels(calls: Sequence[Call]) -> Channels:
    """What channels a program makes, by all calls in it."""
    names = Counter(call.callee for call in calls if isinstance(call.callee, str))
    if not any(names.keys() >= set(some) for some in CHANNELS):
        return Channels.NONE
    return Channels.ONE if sum(names[name] for name in OPENERS) == 1 else Channels.SOME


class Results:
    """Gives the results of calls; `ghosts` are the variables that this takes."""

    def __init__(self, ghosts: dict[str, Variable], channels: Channels) -> None:
        self._ghosts = ghosts
        self._channels = channels
        self._changes: dict[str, tuple[int, str, int]] = {}

    def received(self, request: CallRequest) -> CallRequest:
        """The call, once it has waited for what it receives: what was sent before on the one channel, or else in doubt."""
        if self._channels is Channels.NONE or request.callee not in RECEIVERS:
            return request
        inliner, after = request.inliner, request.inliner.sketch.fresh()
        waits = Doubt(f"whether '{request.callee}' waits for another thread is not tracked", step=True)
        inliner.step(request.source, SKIP, after, request.edge, doubts=(waits,))
        if self._channels is Channels.ONE:
            there = Assume(Binary("<", Const(0, _COUNT), Read(_SENT)))
            self._count(request, request.source, after, (there,) if request.callee in WATCHERS else (
                there, Assign(_SENT, Binary("-", Read(_SENT), Const(1, _COUNT)))))
        return replace(request, source=after)

    def sent(self, request: CallRequest) -> CallRequest:
        """The call; behind it, if it did not fail, something more may be received. Not to count that misses runs only."""
        to = fold(request.arguments[0]) if request.arguments and not isinstance(request.arguments[0], Place) else None
        if self._channels is not Channels.ONE or request.callee not in SENDERS or to is None or isinstance(to, Const):
            return request
        inliner, behind = request.inliner, request.inliner.sketch.fresh()
        more: list[Op] = [Assume(Binary("<", Read(_SENT), Const(_MOST, _COUNT))),
                          Assign(_SENT, Binary("+", Read(_SENT), Const(1, _COUNT)))]
        if request.result is not None:
            more.insert(0, Assume(Binary(">", Read(request.result), Const(0, request.result.type))))
        self._count(request, behind, request.target, tuple(more))
        inliner.step(behind, SKIP, request.target, request.edge)
        return replace(request, target=behind)

    def _count(self, request: CallRequest, source: int, target: int, ops: tuple[Op, ...]) -> None:
        self._ghosts[_SENT.name] = Variable(_SENT.name, _COUNT, None, Values(), _SENT.name, ghost=True)
        request.inliner.sketch.steps.append(SketchStep(
            source, target, Block(ops), (sync(_SENT, any(isinstance(op, Assign) for op in ops)),), request.location,
            request.edge.text, protected=True))

    def open(self, request: CallRequest) -> bool:
        """Whether the world decides what the call stores."""
        return request.callee in INPUTS and request.callee not in NUMBERS_OF_FILES

    def give(self, request: CallRequest, source: int, result: LibraryResult) -> None:
        """The value that a function gives, as the table tells it."""
        inliner, edge = request.inliner, request.edge
        if request.into is not None:
            accesses = inliner.accesses
            pointer = accesses.address(request.into, edge.location)
            accesses.effect(inliner.sketch, source, request.target, pointer, of_place(request, request.into),
                            accesses.world.module.sizeof(request.into.type), True, edge, outside=self.open(request))
            return
        given = request.result
        if given is None:
            inliner.step(source, SKIP, request.target, edge)
            return
        first = request.arguments[0] if request.arguments else None
        if result is LibraryResult.FIRST_ARGUMENT and first is not None and not isinstance(first, Place):
            inliner.step(source, Assign(given, cast(first, given.type)), request.target, edge)
        elif request.callee in PROCESS:
            self._same(request, source, given)
        elif request.callee in DESCRIPTORS and given.type.signed and not exclusive(request):
            self._descriptor(request, source, given)
        else:
            # The world decides what an input is. What the C library computes, and a function whose body is not here, is decided.
            # So is which of two processes it is that `fork` returns in: the new one has no other threads.
            free = request.callee in INPUTS and not exclusive(request) and not _leads_back(request, given)
            doubts = () if free or _converted(request) or self._alone(request) else (
                Doubt(f"the result of '{request.callee}' is not tracked" if request.callee in KNOWN
                      else f"what '{request.callee}' can return is not known", (given.name,)),)
            bound = _bound(request, given)
            op: Op = Havoc((given,))
            inliner.step(source, op if bound is None else Block((op, Assume(bound))), request.target, edge, doubts=doubts)

    def _alone(self, request: CallRequest) -> bool:
        """Whether the call changes which files there are, and nothing else in the program does, so that the world decides."""
        here = (id(request.inliner), request.frame.function.name, request.edge.source)
        once = request.frame.once and request.edge.source not in request.frame.cyclic
        return request.callee in FILES and once and self._changes.setdefault("files", here) == here

    def _same(self, request: CallRequest, source: int, given: Var) -> None:
        """The value is arbitrary, and the same in the whole run."""
        name = f"<{request.callee}>"
        self._ghosts[name] = Variable(name, given.type, None, Arbitrary(), name, ghost=True)
        ghost = Var(name, given.type)
        op = Block((Assign(given, Read(ghost)), Assume(Binary(">", Read(given), Const(0, given.type)))))
        request.inliner.sketch.steps.append(SketchStep(
            source, request.target, op, (sync(ghost, False),), request.location, request.edge.text, protected=True, total=True))

    def _descriptor(self, request: CallRequest, source: int, given: Var) -> None:
        """The call fails, or gives a number that nobody else has meanwhile, which is not followed."""
        inliner, edge = request.inliner, request.edge
        inliner.step(source, Assign(given, Const(-1, given.type)), request.target, edge)
        doubt = Doubt(f"which number '{request.callee}' gives is not tracked", (given.name,), least=0)
        some = Block((Havoc((given,)), Assume(Binary(">=", Read(given), Const(0, given.type)))))
        inliner.step(source, some, request.target, edge, doubts=(doubt,))


def of_place(request: CallRequest, place: Place) -> Targets:
    """The objects that a place may be in."""
    if isinstance(place.base, str):
        return Targets(((place.base, 0),), False)
    return request.inliner.accesses.world.pointsto.targets(request.frame.function.name, place.base)


def _leads_back(request: CallRequest, given: Var) -> bool:
    """Whether the call may give the address of an object, which then is not just any."""
    result = request.call.result
    if not isinstance(result, Var) or given.type.width < request.inliner.accesses.world.places.pointer.width:
        return False
    found = request.inliner.accesses.world.pointsto.targets(request.frame.function.name, Read(result))
    return any(name[0] != "*" for name, _ in found.known)


def exclusive(request: CallRequest) -> bool:
    """Whether the call may make a file that must not be there before."""
    at = FLAGS.get(request.callee, MODES.get(request.callee))
    raw = request.call.args[at] if at is not None and at < len(request.call.args) else None
    if raw is None or isinstance(raw, Place):
        return False
    if request.callee in FLAGS:
        flags = fold(raw)
        return not isinstance(flags, Const) or bool(flags.value & EXCLUSIVE)
    texts = request.inliner.accesses.world.pointsto.texts(request.frame.function.name, raw)
    return texts is not None and any("x" in text for text in texts)


def _converted(request: CallRequest) -> bool:
    """Whether the call gives the number that a text from outside says, such as an argument of the program."""
    text = request.call.args[0] if request.callee in CONVERSIONS and request.call.args else None
    if text is None or isinstance(text, Place):
        return False
    targets = request.inliner.accesses.world.pointsto.targets(request.frame.function.name, text)
    return targets.outside and not targets.known


def _bound(request: CallRequest, result: Var) -> Expr | None:
    """What the manual says about the number that a function gives."""
    value = Read(result)
    if request.callee in COUNTS and result.type.signed:
        return Binary(">=", value, Const(0, result.type))
    most = request.arguments[AT_MOST[request.callee]] if len(request.arguments) > AT_MOST.get(request.callee, 99) else None
    if most is None or isinstance(most, Place):
        return None
    within = Binary("<=", cast(value, most.type), most)
    return Binary("||", Binary("==", value, Const(-1, result.type)), within) if result.type.signed else within
