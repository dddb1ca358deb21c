"""TODO frontend.library."""
