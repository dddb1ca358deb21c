"""Results in, what people and programs read of them out: one module a format, beside what the formats have in common.

It sees programs, the reference semantics (to run a trace again for its values) and verdicts. Of engines, the kernel and the
solver it may know nothing: a report cannot change an answer.
"""

__all__ = ["accepted", "assumptions", "data", "documents", "findings", "flow_rule", "formats", "forms", "gcc", "json", "possible",
           "rows", "summary", "terminal", "text"]
