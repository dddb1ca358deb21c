"""Lowering: the AST of each file in, an `ir.Module` out that lowers each function when it is first asked for.

Every access to memory becomes one instruction, in C's order of evaluation, with C's types and conversions. It may not know of
threads, of what pointers point to, nor of what functions without a body do.
"""

__all__ = ["units"]
