"""TODO circ.abstraction."""
