"""A program and a question about a race come in; a proof from locks, flags, creation and joining goes out, or a reason why not.

It uses no solver and finds no races; it may not know of other engines. Where there is no proof, `possible` says which accesses
nothing known keeps apart.
"""

__all__ = ["focus", "possible", "prover"]
