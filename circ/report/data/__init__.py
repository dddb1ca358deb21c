"""Plain data of reports: automata to be drawn made from a program and its proofs, and data of any kind read back from JSON.

In: programs and verdicts, or what somebody wrote to a file. Out: frozen data, which is checked. It knows no form of a report.
"""

__all__ = ["automata", "plain_data"]
