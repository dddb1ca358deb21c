"""TODO circ.finite.system."""
