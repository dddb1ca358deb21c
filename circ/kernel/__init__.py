"""Certificates and traces in, "accepted" or "refused, because" out: no answer of an engine counts before it went through here.

Comes in: a program, a question, and a proof or a trace that anybody may have written. Goes out: `Accepted` with what it rests
on, `Refused` with the obligation that fails, `Replayed` for a trace. May not know: engines, searches, how a proof was found.
It sees programs (`frontend.program`), the semantics, the views that it makes itself, and the solver without interpolation.

All of it is trusted. `certificate` dispatches; `replay` and `doubts` judge traces; `syntactic`, `reachable`, `pairs` and
`triples` are kinds of proof. What else a kernel may be given: `further_kinds` (`ownership`, atomicity), which `auto` emits
seldom, and `other_kinds` with those of the thread-modular family (`finite`) and of `circ verify` (`guarantee`), which it does
not. The solver is loaded when a proof comes that needs it.
"""

__all__ = ["certificate", "doubts", "further_kinds", "guarantee", "other_kinds", "outcome", "ownership", "pair_bodies", "replay",
           "syntactic", "untrusted_json"]
