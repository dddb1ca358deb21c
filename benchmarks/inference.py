"""How context inference grows, and what caching, compaction and slicing are worth: generated state machines.

Every number is measured in this run, in one process, as processor time; a program that is not decided within the limit
is shown with the limit as a lower bound, and counts as such.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence

from generate import state_machine
from measure import Case, Measured, exponent, measure

GROWTH = 2.0
"""The exponent of time against locations that is meant not to be exceeded."""
FACTOR = 10.0
"""How much faster the member with 11 predicates is meant to be than with everything switched off."""

LONGER = tuple((4, filler, 0) for filler in (0, 4, 12, 24, 48, 90))
"""(stages, filler, updates): 5 predicates, more and more locations."""
RICHER = tuple((stages, 2, 0) for stages in (1, 2, 3, 5, 7, 9, 11))
"""More and more predicates, 2 to 12, and locations with them."""
BUSIER = tuple((stages, 2, 2) for stages in (1, 2, 3, 5, 7, 9))
"""The same with more accesses to the variable: locations that neither compaction nor slicing takes away."""
MEMBER = (10, 0)
"""60 locations and 11 predicates; all of its variables matter."""
BESIDE = (4, 24)
"""With much beside what matters, which slicing takes away."""
COMPACTION = ("compact", "sections")
"""Steps that cannot be seen from outside glued together, and atomic sections made single steps."""
SWITCHES = (("everything on", ()), ("no cache", ("cache",)), ("no compaction", COMPACTION), ("no slicing", ("slice",)),
            ("all three off", ("cache", *COMPACTION, "slice")))

HEAD = f"{'program':<24} {'verdict':<8} {'locations':>9} {'predicates':>10} {'ACFA':>5} {'states':>7} {'queries':>8} " \
       f"{'z3':>8} {'exploring':>10} {'engine':>9} {'kernel':>8}"


def line(name: str, m: Measured, limit: float) -> str:
    engine = f"{m.seconds:.2f} s" if m.verdict != "unknown" else f"> {limit:g} s"
    exploring = m.seconds - m.solver
    return (f"{name:<24} {m.verdict:<8} {m.locations:>9} {m.predicates:>10} {m.acfa:>5} {m.states:>7} {m.queries:>8} "
            f"{m.solver:>6.2f} s {exploring:>8.2f} s {engine:>9} {m.kernel:>6.2f} s")


def series(title: str, members: tuple[tuple[int, int, int], ...], limit: float) -> float:
    """Prints a family and gives the exponent of its engine time against locations."""
    print(f"\n{title}\n{HEAD}")
    points = []
    cases = [Case(f"{s} stages, filler {f}", "x", state_machine(s, f, updates=u), seconds=limit) for s, f, u in members]
    for case, m in measure(cases, 2 * limit + 30):
        print(line(case.name, m, limit), flush=True)
        if m.verdict in ("safe", "race"):
            points.append((float(m.locations), m.seconds))
    b = exponent(points)
    verdict = "ok" if len(points) == len(members) and b <= GROWTH else "ABOVE" if b > GROWTH else "NOT ALL DECIDED"
    print(f"engine time ~ locations ^ {b:.2f}, {len(points)} of {len(members)} programs (meant: at most {GROWTH:g}): {verdict}")
    return b


def switches(member: tuple[int, int], ways: Sequence[tuple[str, tuple[str, ...]]], limit: float) -> float:
    """Prints what each technique is worth on one program and gives the last factor: of all of them together."""
    stages, filler = member
    print(f"\nthe member with {stages} stages and filler {filler}, with techniques switched off\n{HEAD}  factor")
    text, base, total = state_machine(stages, filler), math.nan, math.nan
    cases = [Case(name, "x", text, switches=dict.fromkeys(off, False), seconds=limit) for name, off in ways]
    for case, m in measure(cases, 2 * limit + 30):
        decided = m.verdict == "safe"
        seconds = m.seconds if decided else limit
        base = seconds if not case.switches else base
        total = seconds / base
        print(line(case.name, m, limit) + f"  {'' if decided else '>'}{total:.1f}", flush=True)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each program")
    limit = parser.parse_args().limit
    series("5 predicates, more locations", LONGER, limit)
    series("more predicates and locations", RICHER, limit)
    series("the same, each stage accessing the variable more often", BUSIER, limit)
    total = switches(MEMBER, SWITCHES, limit)
    print(f"all three together: {total:.1f} times faster (meant: at least {FACTOR:g}): {'ok' if total >= FACTOR else 'BELOW'}")
    switches(BESIDE, (SWITCHES[0], ("no slicing", ("slice",))), limit)


if __name__ == "__main__":
    main()
