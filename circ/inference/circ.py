"""Engine `circ`: Algorithm 5 with counters up to k and omega (see `circ.inference.context_inference`)."""

from circ.inference.context_inference import circ
from circ.verdict import Engine
from circ.views.on_sections import OnSections


def engine() -> Engine:
    return OnSections(circ())
