"""Engine `omega-circ`: context inference with k threads, then the check for any number (see
`circ.inference.context_inference`)."""

from circ.inference.context_inference import omega_circ
from circ.verdict import Engine
from circ.views.on_sections import OnSections


def engine() -> Engine:
    return OnSections(omega_circ())
