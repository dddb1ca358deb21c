"""A program comes in; what analyses see of it goes out: skeletons, predicates, counters, trace formulas, rows of proofs.

It may not know of any engine: whoever abstracts decides what to look at.
"""

__all__ = ["abstract_errors", "counters", "nearby_tests", "ordering", "predicates", "proof_rows", "relevance",
           "seen_templates", "skeleton", "told_values", "trace_formulas"]
