"""TODO circ.kernel.finite."""
