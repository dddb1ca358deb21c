"""A program and a question about a race come in; a proof from locks, flags, creation and joining goes out, or a reason why not.

It uses no solver and finds no races; it may not know of other engines.
"""

__all__ = ["focus", "prover"]
