"""The thread-modular family: finite-state programs with fixed thread counts in; proofs and, where complete, traces out.

In come a `Program` and a question (`circ.verdict`); out come verdicts with certificates for `circ.kernel.finite`, from the four
engines named below. It may not know the other engines, nor how its certificates are checked: it shares no code with the kernel
but the replay of a run that was found.
"""

__all__ = ["cartesian", "pushdown", "refinement", "thread_modular"]
