"""Proofs of the thread-modular family in (`inductive`, `exceptions`, `summaries`), accepted or refused out. All of it is trusted.

Comes in: a program with finitely many threads and the body of a proof, read by `diagram_bodies` and `summary_bodies`. Goes
out: an outcome, by queries to the solver or, where all values are few, by decision diagrams (`decisions`, `finite_steps`).
May not know: proofs by pairs, `circ.finite`. Loaded only if such a proof comes.
"""

__all__ = ["exceptions", "inductive", "summaries"]
