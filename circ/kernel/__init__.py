"""Certificates and traces in, "accepted" or "refused, because" out: no answer of an engine counts before it went through here.

Comes in: a program, a question, and a proof or a trace that anybody may have written. Goes out: `Accepted` with what it rests
on, `Refused` with the obligation that fails, `Replayed` for a trace. May not know: engines, searches, how a proof was found.
It sees programs (`frontend.program`), the semantics, the views that it makes itself, and the solver without interpolation.

All of it is trusted. `certificate` dispatches; `replay` and `doubts` judge traces; `syntactic`, `reachable`, `pairs`,
`triples` and `ownership` are kinds of proof. No `safe` of `auto` rests on `other_kinds`: `finite` has those of the
thread-modular family, `guarantee` that of `circ verify`. Importing this package loads no solver: modules that need it are
loaded when a proof of their kind comes.
"""

__all__ = [
    "certificate", "doubts", "guarantee", "other_kinds", "outcome", "ownership", "pair_bodies", "replay",
    "syntactic", "untrusted_json",
]
