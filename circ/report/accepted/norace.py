"""Variables that are declared `norace` are not asked about, if the source says why: `norace int x;  // circ-suppress x: why`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from circ.report.accepted.suppressions import Suppression
from frontend.program import Assumption, Program, Variable


def with_reasons(program: Program, suppressions: Sequence[Suppression]) -> Program:
    """The program in which only what has a reason is `norace`, with warnings about what is not asked and about what has none."""
    reasons = {v.name: _reason(v, suppressions) for v in program.globals if v.norace}
    if not reasons:
        return program
    variables = tuple(replace(v, norace=bool(reasons.get(v.name))) for v in program.globals)
    return replace(program, globals=variables, warnings=(*program.warnings, *dict.fromkeys(_warnings(program, reasons))))


def _reason(variable: Variable, suppressions: Sequence[Suppression]) -> str:
    return next((s.reason for s in suppressions if s.reason and s.names(variable.shown or variable.name)), "")


def _warnings(program: Program, reasons: dict[str, str]) -> Iterator[Assumption]:
    for v in program.globals:
        if v.name not in reasons or not program.accesses.get(v.name):
            continue
        if why := reasons[v.name]:
            yield Assumption(f"'{v.object}' is declared norace ({why}): it is checked only with -x or --ignore-norace",
                             v.location)
        else:
            yield Assumption(f"'{v.object}' is declared norace without a reason: it is checked "
                             f"(say why: // circ-suppress {v.object}: ...)", v.location)


def left_out(program: Program) -> tuple[str, ...]:
    """The variables that are not asked about."""
    return tuple(v.shown or v.name for v in program.globals if v.norace)
