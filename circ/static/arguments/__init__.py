"""TODO circ.static.arguments."""
