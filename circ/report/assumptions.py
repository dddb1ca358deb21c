"""What verdicts rest on that was not proved."""

from __future__ import annotations

from circ.verdict import Answer, RaceOn, Result, Safe, subjects
from frontend.program import Assumption, Ground


def sequentially_consistent(result: Result) -> bool:
    """Whether every shared variable is proved, so that sequential consistency is no assumption any more."""
    proved = {a.question.variable for a in result.answers if isinstance(a.question, RaceOn) and isinstance(a.verdict, Safe)}
    return all(v.name in proved for v in subjects(result.program))


def assuming(result: Result, of: Answer | None = None) -> tuple[Assumption, ...]:
    """All that the verdicts (or one of them) rest on and that was not proved.

    Without races, memory is sequentially consistent, or as weak as the orders of atomic accesses say.
    """
    weak = any(e.stale for t in result.program.templates for e in t.cfa.edges)
    taken = Assumption("no race on what is not proved" if weak else "sequential consistency", ground=Ground.ORDERED)
    extra = () if sequentially_consistent(result) else (taken,)
    proofs = dict.fromkeys(assumption for answer in ([of] if of else result.answers) for assumption in answer.assumptions)
    return (*result.program.assumptions, *proofs, *extra)
