"""The bodies of functions as threads run them, prepared from those that lowering gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from frontend.ctypes import FunctionType, VoidType
from frontend.interrupts.bit_instructions import as_written
from frontend.ir import Call, Function, IrEdge, Module
from frontend.ir.library_table import RETURN_FROM_MAIN
from frontend.ir.split_registers import split
from frontend.link.startup import started
from frontend.memory.calling_contexts import NONE, Contexts
from frontend.memory.points_to import PointsTo
from frontend.threads.fixed_arguments import FixedArguments
from frontend.threads.unroll import Unroller


class Bodies:
    """The functions of a module, each prepared when it is first asked for.

    Loops that start or join threads are unrolled, `main` begins with what runs before it, and to return from it is to call
    `exit`. With calling contexts, a copy of
    a function has the function's body under its own name, and registers that hold pointers into the heap are split by use.
    """

    def __init__(self, module: Module, contexts: Contexts = NONE, solved: PointsTo | None = None,
                 compiled: Callable[[Function], Function] = as_written, sources: Sequence[str] | None = None) -> None:
        """`solved`: what pointers point to without contexts; it says which registers hold pointers into the heap.

        `compiled`: what the machine's instructions make of a function as it is written. `sources`: the functions that run as
        threads from the start, None where they are not known yet.
        """
        self.module = module
        self.contexts = contexts
        self._solved = solved
        self._compiled = compiled
        self._prepared: dict[str, Function | None] = {}
        self._sources = sources
        fixed = None if sources is None else FixedArguments(self.written, lambda: module.symbols, sources)
        self._unroller = Unroller(self.written, lambda name: module.symbols.get(name)) if fixed is None else Unroller(
            self.written, lambda name: module.symbols.get(name), fixed.of, fixed.reached)  # lowering adds symbols

    def told_apart(self, contexts: Contexts, solved: PointsTo) -> Bodies:
        """The bodies with copies for these calling contexts."""
        return Bodies(self.module, contexts, solved, self._compiled, self._sources)

    def written(self, name: str) -> Function | None:
        """The function as it is written, `main` with what runs before it; None without a body."""
        if name == "main" and self.has(name):
            return started(self.module.function(name), self.module)
        return self.module.function(name) if self.has(name) else None

    def has(self, name: str) -> bool:
        """Whether a function has a body."""
        decl = self.module.declarations.get(name)
        return decl is not None and decl.defined

    def prepared(self, name: str) -> Function | None:
        """The body of a function, or of a copy of one, as threads run it; None without a body."""
        if name not in self._prepared:
            copied = name in self.contexts.originals
            self._prepared[name] = self.contexts.body(name, self.prepared if copied else self._prepare)
        return self._prepared[name]

    def concerns_threads(self, name: str) -> bool:
        """Whether a function starts or joins threads, directly or not."""
        return self._unroller.concerns(name)

    def _prepare(self, name: str) -> Function | None:
        written = self.written(name)
        if written is None:
            return None
        body = self._compiled(self._unroller.unroll(written))
        if name == "main":
            body = _exits(body)
        return body if self._solved is None else split(body, partial(self._solved.holds_heap, name))


def _exits(main: Function) -> Function:
    """To return from `main` is to call `exit`."""
    leave = IrEdge(main.exit, main.size, Call(None, RETURN_FROM_MAIN, (), FunctionType(VoidType(), ())), main.location, "return")
    return replace(main, size=main.size + 1, exit=main.size, edges=(*main.edges, leave))
