"""Readings of C that were wrong once, or are wrong in the way a pass would be, as patches of the front end.

Random programs must catch each of them: `attempt` runs the program of one seed under the patch and gives what the comparison with
ThreadSanitizer, or with what gcc computes, finds wrong; without the patch nothing is wrong about the same program.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import Enum
from unittest.mock import patch

from frontend.ctypes.conversions import Integers
from frontend.lower.conditions import Conditions
from frontend.memory.leaves import Layout
from frontend.memory.points_to.pieces import Pieces
from frontend.memory.sketch import Sketch
from frontend.program import FALSE, Const, Expr, Op, Var
from frontend.threads import constant_propagation, simplify, unroll
from frontend.threads.op_facts import OpFact, OpFacts
from frontend.threads.same_address import SameAddress
from tests.support.randomc.differential import differences
from tests.support.randomc.sanitizer import examine_sharing
from tests.support.randomc.sharing import sharing_program
from tests.support.randomc.started import started_program


class Judge(Enum):
    """Who judges which random programs: runs of those that share memory or start threads in odd ways, or the results of sequential ones."""

    SANITIZER = "ThreadSanitizer"
    STARTS = "ThreadSanitizer, on threads started in loops"
    GCC = "gcc"


@dataclass(frozen=True, slots=True)
class ReadingMutant:
    """`seed`: the program that shows it; `patched`, while entered, makes the reading wrong."""

    name: str
    seed: int
    patched: Callable[[], AbstractContextManager[object]]
    judge: Judge = Judge.SANITIZER


def _nothing_lives(sketch: Sketch, facts: OpFacts, real: Callable[[Sketch, OpFacts], list[int]] = simplify.live_at) -> list[int]:
    return [0 for _ in real(sketch, facts)]


_Known = dict[str, Const]
_real_constants = constant_propagation._constants_after


def _first_constants(op: Op, whole: OpFact, before: _Known, facts: OpFacts) -> _Known | None:
    after = _real_constants(op, whole, before, facts)
    return None if after is None else {**after, **before}


_real_with = unroll._with


def _never_forgotten(values: _Known, target: Var, value: Expr | None) -> _Known:
    return {**values, **_real_with(values, target, value)}


MUTANTS: tuple[ReadingMutant, ...] = (
    ReadingMutant("memory behind a struct is more structs, not more of the array at its end", 107,
                  lambda: patch.object(Layout, "flexible", lambda self, t: None)),
    ReadingMutant("addresses are not followed in pieces", 3, lambda: patch.object(Pieces, "_watch", lambda self, node, wide: None)),
    ReadingMutant("every object has its own place for ever", 126, lambda: patch.object(SameAddress, "is_open", lambda *arguments: FALSE)),
    ReadingMutant("bytes of a union are nobody else's", 3, lambda: patch("frontend.memory.leaves._overlaps", lambda *arguments: False)),
    ReadingMutant("the expressions in a type are not evaluated", 3,
                  lambda: patch("frontend.lower.declared.variable_types._array", lambda x, node: None), Judge.GCC),
    ReadingMutant("adjacent string literals are glued as they are written", 71,
                  lambda: patch("frontend.text.parse.joined_strings", list), Judge.GCC),
    ReadingMutant("small integers are not promoted", 4, lambda: patch.object(Integers, "promote", lambda self, t: t), Judge.GCC),
    ReadingMutant("both alternatives of a condition are evaluated", 26,
                  lambda: patch.object(Conditions, "pure", lambda self, node: True), Judge.GCC),
    ReadingMutant("no variable is live", 3, lambda: patch("frontend.threads.simplify.live_at", _nothing_lives), Judge.GCC),
    ReadingMutant("constants stay what they were", 5,
                  lambda: patch("frontend.threads.constant_propagation._constants_after", _first_constants), Judge.GCC),
    ReadingMutant("registers keep their constants while loops are unrolled", 235, lambda: patch("frontend.threads.unroll._with", _never_forgotten),
                  Judge.STARTS),
    ReadingMutant("any loop that joins has joined all threads", 938, lambda: patch("frontend.threads.join_loops._same", lambda *arguments: True),
                  Judge.STARTS),
)


def attempt(mutant: ReadingMutant, runs: int = 4, sound: bool = False, tries: int = 4) -> list[str]:
    """What is found wrong about the mutant's program when it is read wrongly; `sound`: when it is read as it should be.

    Runs are luck, the more so on a busy machine: where the mutant is not caught, it is tried again with more runs and more time.
    """
    with nullcontext() if sound else mutant.patched():
        if mutant.judge is Judge.GCC:
            return [str(difference) for difference in differences([mutant.seed])]
        program = started_program if mutant.judge is Judge.STARTS else sharing_program
        if sound:
            return examine_sharing([mutant.seed], runs=runs, program=program).faults
        found = (examine_sharing([mutant.seed], runs=runs << n, seconds=4.0 * (1 << n), program=program).faults for n in range(tries))
        return next(filter(None, found), [])
