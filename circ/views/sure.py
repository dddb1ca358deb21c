"""A program without the steps that only its automata may be able to take: what it can do, the C program can do.

The one view that goes the other way: for finding runs, never for proofs.
"""

from __future__ import annotations

from dataclasses import replace

from frontend.program import FALSE, Assume, Edge, Program


def is_doubtful(edge: Edge) -> bool:
    """Whether the C program may not be able to take the step at all."""
    return any(d.step for d in edge.doubts)


def surely(program: Program) -> Program:
    """The program without doubtful steps; edges keep their numbers, so that its runs are runs of the program."""
    return replace(program, templates=tuple(
        replace(t, cfa=replace(t.cfa, edges=tuple(
            replace(e, op=Assume(FALSE), doubts=()) if is_doubtful(e) else e for e in t.cfa.edges)))
        for t in program.templates))
