"""Calls that are one step by definition: what `circ_locks.h` needs to know of threads, and what annotations say is one.

`circ_tid()` is the thread's number, never 0. `circ_member()` is the same where a thread is about to enter a set: sets have room
for so many threads, and that no other comes there is an assumption. A program that is read with its annotations has
`frontend.library.annotated_calls` besides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from frontend.annotations.attached import Attached, tid_of
from frontend.memory.objects import Notes
from frontend.program import SKIP, Assign, DataModel, Ground, Read
from frontend.program.fold import cast
from frontend.threads.inline import CallRequest

SET_ROOM = 64
"""One more than the greatest number of a thread that a set has room for."""

AnnotatedModel: TypeAlias = Callable[[Notes, DataModel, Attached], Callable[[CallRequest], bool]]
"""What models calls of functions that annotations describe; what it gives says whether it did."""


class AtomicOps:
    """Models such calls."""

    def __init__(self, notes: Notes, model: DataModel, annotated: Callable[[CallRequest], bool] | None) -> None:
        self._notes, self._model, self._annotated = notes, model, annotated

    def model(self, request: CallRequest) -> bool:
        """Model the call; False if it is none of these."""
        if request.callee in ("circ_tid", "circ_member"):
            self._number(request)
            return True
        return self._annotated is not None and self._annotated(request)

    def _number(self, request: CallRequest) -> None:
        if request.callee == "circ_member":
            assume_room(self._notes, request)
        number = cast(Read(tid_of(self._model)), request.result.type) if request.result is not None else None
        op = SKIP if request.result is None or number is None else Assign(request.result, number)
        request.inliner.step(request.source, op, request.target, request.edge)


def assume_room(notes: Notes, request: CallRequest) -> None:
    """There is room for all threads in a set."""
    notes.assume(f"fewer than {SET_ROOM} threads take part in sets of threads", request.location, Ground.BOUNDED)
