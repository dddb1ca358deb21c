"""TODO circ.static."""
