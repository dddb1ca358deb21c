"""TODO frontend.lower."""
