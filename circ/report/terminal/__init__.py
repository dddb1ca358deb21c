"""Answers in, what stands on a terminal out: in which order things are told, in which colours, and nothing that moves the cursor.

The lines themselves are made by `circ.report.text`; files that another program reads are made in `circ.report.formats`.
"""

__all__ = ["by_object", "colours", "columns", "plain_text"]
