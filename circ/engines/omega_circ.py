"""Engine `omega-circ`: context inference with k threads, then the check for any number (see `circ.engines.inference`)."""

from circ.engines.inference import omega_circ
from circ.engines.sections import OnSections
from circ.verdict import Engine


def engine() -> Engine:
    return OnSections(omega_circ())
