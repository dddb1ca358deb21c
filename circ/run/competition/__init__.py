"""What the verification competition brings along for a run: property and task files, one verdict for a program, witnesses.

In: its files. Out: what is asked, the last line of the output, witnesses that are tried and written. It does not know how a
session reports.
"""

__all__ = ["tasks", "witnesses"]
