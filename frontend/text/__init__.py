"""TODO frontend.text."""
