"""TODO circ.semantics."""
