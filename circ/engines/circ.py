"""Engine `circ`: Algorithm 5 with counters up to k and omega (see `circ.engines.inference`)."""

from circ.engines.inference import circ
from circ.engines.sections import OnSections
from circ.verdict import Engine


def engine() -> Engine:
    return OnSections(circ())
