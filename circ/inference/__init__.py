"""TODO circ.inference."""
