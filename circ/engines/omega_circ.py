"""Engine `omega-circ`: context inference with k threads, then the check for any number (see `circ.engines.inference`)."""

from circ.engines.inference import omega_circ as engine

__all__ = ["engine"]
