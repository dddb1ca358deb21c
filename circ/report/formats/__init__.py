"""Reports as documents for other programs and for browsers, one module a format.

In come files with their findings as plain data (`circ.report.rows`), out goes a text. Programs, traces and proofs are not seen.
"""

__all__ = ["code_climate", "github", "junit", "sarif", "table"]
