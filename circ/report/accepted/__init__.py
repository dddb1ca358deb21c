"""What of the findings does not count: what the source suppresses with a reason, and what a baseline has from before.

Findings come in as plain data and go out marked; none is dropped, and every report tells what does not count and why. Verdicts,
engines are not seen here, and of programs only which variables are declared `norace`.
"""

__all__ = ["baseline", "norace", "suppressions"]
