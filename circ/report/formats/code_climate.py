"""Code Climate's list of issues, which GitLab shows as code quality in merge requests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from circ.report.findings import Finding
from circ.report.formats.paths import from_here
from circ.report.gcc import access_text
from circ.report.rows import Head, Scanned
from frontend.program import Location

_SEVERITY = {"race": "critical", "violated": "critical", "possible race": "major", "unknown": "info"}


def code_climate(files: Sequence[Scanned]) -> str:
    """A JSON list of what is not proved and counts; fingerprints stay the same when lines move."""
    issues = [_issue(scanned.head.file, row.finding) for scanned in files for row in scanned.rows
              if row.finding.verdict != "safe" and row.finding.counts]
    issues += [_unread(f.head) for f in files if f.head.unread]
    return json.dumps(issues, indent=1) + "\n"


def _issue(file: str, finding: Finding) -> dict[str, Any]:
    return {
        "type": "issue", "check_name": f"circ.{finding.verdict.replace(' ', '-')}", "description": finding.message,
        "categories": ["Bug Risk"], "severity": _SEVERITY[finding.verdict], "fingerprint": _unique(file, finding.fingerprint),
        "location": _location(finding.place),
        "other_locations": [{**_location(a.location), "description": access_text(a)} for a in finding.accesses],
    }


def _unread(head: Head) -> dict[str, Any]:
    return {"type": "issue", "check_name": "circ.input", "description": head.unread, "categories": ["Compatibility"],
            "severity": "blocker", "fingerprint": _unique(head.file, "input"), "location": _location(head.unread_at)}


def _unique(file: str, what: str) -> str:
    """Issues of different files must differ here."""
    return hashlib.sha256(json.dumps([from_here(file), what]).encode()).hexdigest()[:32]


def _location(place: Location) -> dict[str, Any]:
    begin = {"line": max(1, place.line), "column": place.column or 1}
    return {"path": from_here(place.file), "lines": {"begin": begin["line"]}, "positions": {"begin": begin, "end": begin}}
