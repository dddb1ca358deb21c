"""Proofs of `circ verify` in (kind `assume-guarantee`), accepted or refused out. All of it is trusted.

Comes in: a program with annotations and, for each template, a closure of what it assumes of the others. Goes out: an outcome,
by one thread at a time cut at its loops (`loop_cuts`) and calls (`procedures`). May not know: `circ.guarantee`, other kinds
of proof. Loaded only if such a proof comes.
"""

__all__ = ["guarantee", "loop_cuts"]
