"""TODO frontend.threads.sources."""
