"""TODO frontend.annotations."""
