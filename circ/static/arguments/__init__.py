"""A program comes in; what an argument knows beyond values of single cells goes out: counts, numbers, tickets, hand-overs.

Each argument speaks of spots and threads through `argument.Argument`; it may not know how pairs are closed or written down.
"""

__all__ = [
    "argument", "bounds", "draws", "handover", "joining", "live_counts", "lock_arrays", "numbering", "publication",
    "readers", "sites", "tickets",
]
