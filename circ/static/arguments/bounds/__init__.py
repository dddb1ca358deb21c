"""A program and an array in; which of its elements threads touch out, by bounds of the index: intervals of constants, and
expressions over cells that the creator of a thread has set.

What is known of each thread is found out alone; it may not know how pairs of threads are closed or written down.
"""

__all__ = ["ranges", "spans"]
