"""TODO circ.run."""
