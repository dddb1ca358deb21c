"""Memory: the functions of a module in; objects split into variables, what pointers point to, and accesses as steps out.

`leaves`, `places` and `objects` say what there is; `points_to` what may be reached; `escapes` which locals other threads see;
`accesses` turns instructions into steps, and `settling` resolves those through pointers once a thread is inlined. It may not know
how threads are inlined, nor which functions of the library there are besides the tables of `frontend.ir`.
"""

__all__ = [
    "accesses", "call_graph", "calling_contexts", "escapes", "leaves", "lock_types", "objects", "places", "points_to",
    "settling", "sketch", "sole_values", "world",
]
