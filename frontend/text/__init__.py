"""Text: the bytes of a file in; tokens, the comments that annotate, and the AST of pycparser out.

Our own preprocessor comes first, then a pass over tokens that rewrites GNU C and nesC into what pycparser reads. It may not know
what names mean beyond telling types from other names: there are no C types, no layouts and no values here.
"""

__all__ = ["ast_text", "attributes", "bodies", "compilers", "keywords", "parse", "places", "preprocess", "side_effects",
           "tokens"]
