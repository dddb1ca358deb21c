"""TODO circ.views."""
