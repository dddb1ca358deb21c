"""One automaton a thread: functions of `frontend.ir` come in, sketches of automata go out (`frontend.memory.sketch`).

Which functions run as threads (`sources`), calls inlined, loops over threads unrolled, atomic sections resolved, automata
simplified. What a function without a body does it may not know: `inline.Library` asks the rooms above.
"""

__all__ = ["constant_propagation", "frames", "inline", "join_loops", "op_facts", "private_constants", "procedures", "sections",
           "simplify", "sources", "unroll"]
