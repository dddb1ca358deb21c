"""Bodies for functions of the C library whose results programs branch on: tokens of all files in, the same with bodies in.

A trace must not hang on a value that nobody computed, and what `strcmp` gives decides which way a program goes. So the functions
on strings get C bodies (`include/circ_bodies.h`), as if the program had brought them along. This room knows tokens only, no
types and no values.
"""

__all__ = ["library_bodies"]
