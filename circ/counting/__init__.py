"""TODO circ.counting."""
