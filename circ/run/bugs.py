"""How our own mistakes are told: one line, and the details where they can be found."""

from __future__ import annotations

import sys
import tempfile


def report_bug(what: str, details: str, debug: bool) -> None:
    """One line on stderr; the details go to a file, or to stderr with --debug."""
    line = f"circ: internal error: {what.removeprefix('internal error: ').splitlines()[0] if what else '?'}"
    if debug:
        print(f"{line}\n{details}", file=sys.stderr)
        return
    try:
        with tempfile.NamedTemporaryFile("wb", prefix="circ-bug-", suffix=".txt", delete=False) as file:
            file.write(f"{what}\n{details}".encode(errors="backslashreplace"))
        print(f"{line} (details in {file.name}, or with --debug)", file=sys.stderr)
    except OSError:
        print(f"{line} (details with --debug)", file=sys.stderr)
