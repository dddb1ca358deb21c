"""TODO frontend.memory.leaves."""
