"""A context that was inferred, with its closed pairs, comes in; certificate, reasons in words and drawings go out.

It may not know of the loop that found them, nor of refinement.
"""

__all__ = ["explain", "pair_proof", "pictures"]
