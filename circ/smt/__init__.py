"""TODO circ.smt.encoder."""
