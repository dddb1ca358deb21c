"""Which functions with `//@ atomic ensures e;` have a body that can be held against e, rather than taken on trust.

A body is looked at if all that it does is understood: no assembler, no calls of functions that nobody knows, no recursion, and
no loop without an invariant (a spin lock has one: its body stays a matter of trust). It counts as one step of its own accord
if it is nothing but one atomic section; any other is taken as one, which is an assumption.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pycparser import c_ast

from frontend.annotations.attach import LOOPS, is_no_loop
from frontend.annotations.attached import Attached, ClauseKind
from frontend.program import Location
from frontend.text.side_effects import section_kind

_KNOWN = frozenset({
    "assert", "assume", "nondet", "abort", "circ_tid", "circ_member", "__VERIFIER_assume", "__VERIFIER_atomic_begin",
    "__VERIFIER_atomic_end"})
_FAMILIES = ("__sync_", "__atomic_", "atomic_", "__VERIFIER_nondet_", "__assert")
_ATOMIC_NAME = "__VERIFIER_atomic_"


def atomic_bodies(
    attached: Attached, ast: c_ast.FileAST, where: Callable[[c_ast.Node], Location], locking: frozenset[str],
) -> Mapping[str, bool]:
    """The functions whose body is looked at, each with whether it is one atomic section of its own accord.

    `locking`: functions of the library that take a lock or give it back, which a body may call.
    """
    bodies = {node.decl.name: node for node in ast.ext if isinstance(node, c_ast.FuncDef)}
    reader = _AtomicBodyReader(attached, bodies, where, _KNOWN | locking)
    return {name: name.startswith(_ATOMIC_NAME) or _is_section(bodies[name].body) for name in attached.functions
            if name in bodies and attached.of(name, ClauseKind.ATOMIC) and reader.readable(name, ())}


class _AtomicBodyReader:
    def __init__(self, attached: Attached, bodies: Mapping[str, c_ast.FuncDef], where: Callable[[c_ast.Node], Location],
                 known: frozenset[str]) -> None:
        self._attached, self._bodies, self._where, self._known = attached, bodies, where, known

    def readable(self, name: str, callers: tuple[str, ...]) -> bool:
        if name in callers:
            return False
        work: list[c_ast.Node] = [self._bodies[name].body]
        while work:
            node = work.pop()
            match node:
                case c_ast.Goto():
                    return False
                case c_ast.FuncCall(name=c_ast.ID(name=called)):
                    if called in self._bodies:
                        if not self.readable(called, (*callers, name)):
                            return False
                    elif called not in self._known and not called.startswith(_FAMILIES):
                        return False
                case c_ast.FuncCall():
                    return False
                case _ if isinstance(node, LOOPS) and not is_no_loop(node) and self._where(node) not in self._attached.loops:
                    return False
            work.extend(child for _, child in node.children())
        return True


def _is_section(body: c_ast.Compound) -> bool:
    """Whether nothing but the body's only atomic section can touch what others see."""
    sections = 0
    own: set[str] = set()
    for item in body.block_items or ():
        match item:
            case c_ast.Decl(name=name, init=None, storage=[]):
                own.add(name)
            case c_ast.Return(expr=None | c_ast.Constant()):
                pass
            case c_ast.Return(expr=c_ast.ID(name=name)) if name in own:
                pass
            case c_ast.EmptyStatement():
                pass
            case _ if section_kind(item) == "atomic":
                sections += 1
            case _:
                return False
    return sections == 1
