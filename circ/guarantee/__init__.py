"""Assume-guarantee checking: an annotated program in; a proof from its own assumptions, or the condition that fails, out.

In comes a `Program` with relies, invariants and contracts (`//@` clauses); out come the engine `assume_guarantee`, its failed
conditions in words with a hint at what is missing, and, for a proof that inference has found, the annotations that say the same
(`exported_annotations`). It may not know how annotations are written in C, nor how the kernel checks its certificates: of the
kernel it uses the cuts of loops, the readers of pair proofs and the list of doubtful steps.
"""

__all__ = ["assume_guarantee", "exported_annotations"]
