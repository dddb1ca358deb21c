"""Witnesses in the YAML format of the verification competition: what circ found for other tools, and what they found for circ.

In: verdicts with their certificates and traces, or somebody else's file. Out: the text of a witness, or hints for the engines
(predicates, a schedule). A witness proves nothing here: what it says is tried, and the kernel decides. It does not know who
asks, nor how verdicts are shown.
"""

__all__ = ["entries", "hints", "witness_file", "write"]
