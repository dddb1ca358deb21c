"""How much the solver has worked, in its own units: the same for the same questions, whatever the load of the machine."""

from __future__ import annotations

import z3


class SolverEffort:
    """Counts the resource units (`rlimit`) that all solvers of this process have spent since this was made; not trusted."""

    def __init__(self) -> None:
        self._probe = z3.Solver()
        self._begin = self._count()

    def spent(self) -> int:
        return self._count() - self._begin

    def _count(self) -> int:
        self._probe.check()
        return int(self._probe.statistics().get_key_value("rlimit count"))
