"""TODO circ.search."""
