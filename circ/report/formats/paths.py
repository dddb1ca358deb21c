"""Names of files in documents that other programs read."""

from __future__ import annotations

import os


def from_here(file: str) -> str:
    """A file below the current folder as seen from there, so that a report holds for other checkouts, too; others in full."""
    relative = os.path.relpath(file)
    return os.path.abspath(file) if relative.split(os.sep)[0] == os.pardir else relative
