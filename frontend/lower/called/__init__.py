"""Function calls: a call's syntax in, its instructions out; those of the program, and functions whose meaning is known here.

`calls` dispatches; `builtins`, `atomics` and `assembly_statements` are the functions known; `not_modelled` is what stands for
syntax that is not: a call of a function without a body. They may not know of statements,
nor of how expressions are put together: what they need of the whole is a `Lowering`.
"""

__all__ = ["calls", "not_modelled"]
