"""Calls of functions with `//@ atomic ensures e;`: one step by definition, which waits until e can be made true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from frontend.annotations.attached import PRIME, TID, Attached, ClauseKind, tid_of
from frontend.annotations.notes import Note, NotePlace, note_op
from frontend.annotations.two_state import NameLookup, read_formula
from frontend.ir import Place, Storage
from frontend.library.atomic_operations import SET_ROOM, assume_room
from frontend.memory.objects import Notes
from frontend.memory.sketch import SketchStep
from frontend.program import (
    Access,
    AccessKind,
    Assign,
    Assume,
    Binary,
    Block,
    Const,
    DataModel,
    Expr,
    FrontendError,
    Havoc,
    Lvalue,
    Op,
    Read,
    Var,
    Variable,
    name_of,
    reads,
    substitute,
)
from frontend.program.fold import conjunction, fold
from frontend.threads.inline import CallRequest

_MACROS = ("acq", "rel", "acq_read", "rel_read", "acq_write", "rel_write")


class AnnotatedCalls:
    """Models such calls in a program that is read with its annotations."""

    def __init__(self, notes: Notes, model: DataModel, attached: Attached) -> None:
        self._notes, self._model, self._attached = notes, model, attached

    def __call__(self, request: CallRequest) -> bool:
        """Model the call; False if nothing is said about it, or its body is held against what is."""
        if not self._attached.of(request.callee, ClauseKind.ATOMIC):
            self._no_promise(request, self._attached)
            known = request.inliner.accesses.world.module.declarations.get(request.callee)
            if request.callee in _MACROS and (known is None or not known.defined):
                raise FrontendError(request.location, f"'{request.callee}' is not defined",
                                    "#include <circ_locks.h>, or say what it does with //@ atomic ensures")
            return False
        whole = self._attached.bodies.get(request.callee)
        if whole is None:
            self._defined(request, self._attached)
        elif not whole:
            self._notes.assume(f"'{request.callee}' runs in one step", request.location)
        return whole is None

    def _in_room(self, request: CallRequest) -> Expr:
        assume_room(self._notes, request)
        tid = tid_of(self._model)
        return Binary("<", Read(tid), Const(SET_ROOM, tid.type))

    def _defined(self, request: CallRequest, attached: Attached) -> None:
        """One step: it waits until the formula can be made true, and changes only the variables that have a prime in it."""
        inliner, result = request.inliner, None
        request = self._required(request, attached)
        if request.into is not None:
            raise FrontendError(request.location, f"the result of '{request.callee}' is no number",
                                "let it give an integer, or nothing")
        if any(w.text == "\\result" for c in attached.of(request.callee, ClauseKind.ATOMIC) for w in c.words):
            kind = request.result.type if request.result is not None else tid_of(self._model).type
            result = request.result or inliner.accesses.temporary(kind)
        names = NameLookup(lambda name: self._find(request, name), primes=True, result=None if result is None else Read(result))
        formula: Expr | None = None
        for clause in attached.of(request.callee, ClauseKind.ATOMIC):
            if any(w.text == "\\add" for w in clause.words):
                formula = self._in_room(request) if formula is None else conjunction(formula, self._in_room(request))
            read = read_formula(clause, names, self._model)
            formula = read if formula is None else conjunction(formula, read)
        assert formula is not None
        body = inliner.accesses.world.module.declarations[request.callee].defined
        self._notes.assume(f"'{request.callee}' does in one step what its annotation says" + (
            "; its body is not looked at" if body else ""), request.location)
        self._step(request, formula, result)

    @staticmethod
    def _no_promise(request: CallRequest, attached: Attached) -> None:
        """A contract is held against a body; where there is none, nothing may rely on it."""
        known = request.inliner.accesses.world.module.declarations.get(request.callee)
        said = [*attached.of(request.callee, ClauseKind.REQUIRES), *attached.of(request.callee, ClauseKind.ENSURES)]
        if said and (known is None or not known.defined):
            raise FrontendError(said[0].location, f"'{request.callee}' has a contract, but no body",
                                "define it, or say what a call does with //@ atomic ensures")

    def _required(self, request: CallRequest, attached: Attached) -> CallRequest:
        """What the caller has to provide is claimed before the step."""
        wanted = tuple(n for n in attached.functions[request.callee] if attached.clauses[n].kind is ClauseKind.REQUIRES)
        if not wanted:
            return request
        shown = request.inliner.accesses.world.module.declarations[request.callee].param_names
        names = [(name, argument) for name, argument in zip(shown, request.arguments, strict=False)
                 if name and not isinstance(argument, Place)]
        after = request.inliner.sketch.fresh()
        note = Note(NotePlace.ENTRY, wanted, (), request.callee)
        request.inliner.step(request.source, note_op(note, names), after, request.edge)
        return replace(request, source=after)

    def _step(self, request: CallRequest, formula: Expr, result: Var | None) -> None:
        changed: dict[str, Lvalue] = {}
        seen: dict[str, Lvalue] = {}
        for v in reads(formula):
            name = name_of(v)
            if name.endswith(PRIME):
                if not isinstance(v, Var):
                    raise FrontendError(request.location, f"'{request.callee}' changes an element of an array by its annotation",
                                        "an atomic ensures may change scalars only")
                changed[name[:-1]] = Var(name[:-1], v.type)
            elif self._is_global(request, name):
                seen[name] = v
        before = {name: request.inliner.accesses.temporary(v.type) for name, v in changed.items()}

        def later(v: Lvalue) -> Expr | None:
            if not isinstance(v, Var):
                return None
            if v.name.endswith(PRIME):
                return Read(changed[v.name[:-1]])
            return Read(before[v.name]) if v.name in before else None

        targets = (*changed.values(), *([] if result is None else [result]))
        ops: list[Op] = [*(Assign(t, Read(changed[n])) for n, t in before.items()), Havoc(targets),
                         Assume(fold(substitute(formula, later)))]
        if request.result is not None and result is None:
            ops.append(Havoc((request.result,)))
        accesses = [Access(v, True, request.location, request.edge.text, AccessKind.ATOMIC) for v in changed.values()]
        accesses += [Access(v, False, request.location, request.edge.text, AccessKind.ATOMIC) for n,
                     v in seen.items() if n not in changed]
        request.inliner.sketch.steps.append(SketchStep(request.source, request.target, Block(tuple(ops)), tuple(accesses),
                                                 request.location, request.edge.text, protected=True))

    def _find(self, request: CallRequest, name: str) -> Variable | Expr | None:
        callee = request.inliner.accesses.world.module.declarations[request.callee]
        for shown, argument in zip(callee.param_names, request.arguments, strict=False):
            if shown == name and not isinstance(argument, Place):
                return argument
        found = next((v for v in self._globals(request, name.partition(".")[0]) if name in (v.shown, v.name)
                      or f"{name}[]" in (v.shown, v.name)), None)
        return found or self._attached.constants.get(name)

    def _globals(self, request: CallRequest, name: str) -> Iterator[Variable]:
        world = request.inliner.accesses.world
        symbol = world.module.symbols.get(name)
        if symbol is not None and symbol.storage in (Storage.GLOBAL, Storage.STATIC):
            yield from world.objects.variables(world.objects.named(name))

    def _is_global(self, request: CallRequest, name: str) -> bool:
        return name != TID and any(v.name == name for v in self._globals(request, name.partition(".")[0].partition("[")[0]))
