"""TODO circ.finite.system.symbolic."""
