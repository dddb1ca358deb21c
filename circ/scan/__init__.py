"""TODO circ.scan.scan."""
