"""TODO circ.kernel.guarantee.guarantee."""
