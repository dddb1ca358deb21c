"""Engine `circ`: Algorithm 5 with counters up to k and omega (see `circ.engines.inference`)."""

from circ.engines.inference import circ as engine

__all__ = ["engine"]
