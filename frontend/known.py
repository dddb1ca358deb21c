"""What calls of functions without a body do: the C library by a table, everything else by assumption."""

from __future__ import annotations

from frontend.access import Accesses
from frontend.cfa import SKIP, Havoc, Op
from frontend.inline import Library, Request
from frontend.ir import Module
from frontend.objects import Notes

_ENDS = frozenset({"abort", "exit", "_exit", "_Exit", "quick_exit", "__assert_fail", "pthread_exit", "thrd_exit"})


class KnownFunctions(Library):
    """The library of a hosted C program."""

    def __init__(self, module: Module, accesses: Accesses, notes: Notes) -> None:
        self._module = module
        self._accesses = accesses
        self._notes = notes
        self.called: dict[str, None] = {}

    def threads(self, request: Request) -> bool:
        self.called.setdefault(request.callee)
        return False

    def external(self, request: Request) -> None:
        if request.callee in _ENDS:
            return
        self._notes.assume(f"unknown function '{request.callee}' touches only what its arguments reach", request.location)
        op: Op = SKIP if request.result is None else Havoc((request.result,))
        request.inliner.step(request.source, op, request.target, request.edge)
