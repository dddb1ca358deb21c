"""What declarations in functions, and types in expressions, evaluate: initialisers, locals, types of variable length.

In: the AST of a declaration or a type. Out: code in the graph of the function. It knows
the whole of lowering through `lowering` only.
"""

__all__ = ["initialisers", "local_declarations", "variable_types"]
