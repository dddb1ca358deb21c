"""Search for runs: a program and a question in; a replayable trace, or the set of all states of few threads, out.

In come a `Program` and a question; out come the engines `explicit` (breadth first, also the oracle that judges other engines)
and `chase` (`random_runs`, for handlers and tasks also `turn_by_turn`), runs under C11's memory orders (`weak_runs`), and for
rooms that search in their own way `SearchSpace` and `build_trace`. It may not know abstractions (but asks whether steps can be
taken with other values), nor proofs other than "these are all states"; its effort is counted in states and steps, so that a
deadline ends a search but never decides how far one goes.
"""

__all__ = ["explicit", "random_runs", "reductions", "scheduled", "state_search", "trace_building",
           "turn_by_turn", "weak_runs"]
