"""Reading with annotations, and with functions kept apart: what `circ verify` and engines with a stack need besides.

A program that is read for `circ check` rests on none of it: `frontend.api` hands it to `frontend.reading` if it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pycparser import c_ast

from frontend.annotations.atomic_bodies import atomic_bodies
from frontend.annotations.attach import attach
from frontend.annotations.attached import Attached
from frontend.annotations.clauses import clauses
from frontend.annotations.contracts import with_contracts
from frontend.ir import Module
from frontend.ir.thread_library import ThreadCall, names_of
from frontend.library.annotated_calls import AnnotatedCalls
from frontend.link import Annotations, LinkOptions, has_startup
from frontend.program import FrontendError, Location, Program
from frontend.text.tokens import Annotation
from frontend.threads.procedures import procedures

_LOCKING = frozenset(names_of(ThreadCall.MUTEX_LOCK, ThreadCall.MUTEX_UNLOCK, ThreadCall.SPIN_LOCK, ThreadCall.SPIN_UNLOCK))


def _attached(annotations: Sequence[Annotation], ast: c_ast.FileAST, where: Callable[[c_ast.Node], Location]) -> Attached:
    found = attach(clauses(annotations), ast, where)
    return replace(found, bodies=atomic_bodies(found, ast, where, _LOCKING))


ANNOTATIONS = Annotations(_attached, AnnotatedCalls, with_contracts)
"""How annotations are read."""


def with_procedures(program: Program, module: Module, options: LinkOptions) -> Program:
    """The program with its functions kept apart, too."""
    if has_startup(module):
        raise FrontendError(Location(program.files[0], 1), "engines with a stack know no constructors or destructors",
                            "use another --engine")
    return replace(program, procedures=procedures(module, options.threads, options.ints, program.race_model))
