"""What is known of a variable without a proof: which conflicting accesses neither locks nor creation and joining keep apart.

A program comes in, the possible race of each variable goes out, in time that hardly grows faster than the program. Nothing here
is a proof, and no race is shown: it may be wrong in both directions.
"""

__all__ = ["possible_races"]
