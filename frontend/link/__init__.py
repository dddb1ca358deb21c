"""TODO frontend.link.linker."""
