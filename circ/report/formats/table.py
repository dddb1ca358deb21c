"""The end of a scan: a table like Table 1 of the CIRC paper, as text, JSON, CSV or Markdown."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from circ.report.flow_rule import flow_data, flow_text
from circ.report.forms import FailOn
from circ.report.gcc import diagnostics
from circ.report.json import circ_version
from circ.report.rows import Row, Scanned, scanned_status, verdict_counts
from circ.report.summary import plural
from frontend.program import displayed

VERSION = 1
COLUMNS = ("name", "lines", "variable", "verdict", "predicates", "ACFA", "k", "time")
_NUMBERS = frozenset(("lines", "predicates", "ACFA", "k", "time"))


def _cells(scanned: Scanned) -> Iterator[dict[str, str]]:
    """The table's lines for a file: one a variable, or one that says why there are none."""
    name, lines = displayed(scanned.head.file), str(scanned.head.lines or "")
    for row in scanned.rows:
        yield dict(zip(COLUMNS, (name, lines, row.variable, row.verdict, *_figures(row), f"{row.seconds:.2f} s"), strict=True))
    head = scanned.head
    why = "error" if head.error else "internal error" if head.bug else "unknown" if head.limit else ""
    if why:
        yield dict(zip(COLUMNS, (name, lines, "", why, "", "", "", ""), strict=True))


def _figures(row: Row) -> tuple[str, str, str]:
    """Predicates, ACFA size and k; engines that know of no context automaton have none."""
    return str(len(row.finding.predicates)), str(row.acfa or "-"), str(row.k or "-")


# --------------------------------------------------------------------------------------------------- formats
def table_text(files: Sequence[Scanned], flow_rule: bool) -> str:
    lines = [line for f in files for line in _told(f)]
    if flow_rule:
        lines += [line for f in files for line in flow_text(f.head.alarms, verdicts(f)).splitlines()]
    table = [dict(zip(COLUMNS, COLUMNS, strict=True))]
    for scanned in files:
        for n, cells in enumerate(_cells(scanned)):
            table.append(cells if n == 0 else {**cells, "name": "", "lines": ""})
    widths = {c: max(len(cells[c]) for cells in table) for c in COLUMNS}
    lines += [""] if lines else []
    lines += ["  ".join(_aligned(cells[c], c, widths[c]) for c in COLUMNS).rstrip() for cells in table]
    analysis = sum(f.seconds for f in files)
    reading = sum(f.head.seconds for f in files)
    lines.append(f"circ: {verdict_counts(files)}; {plural(len(files), 'file')}, {analysis:.1f} s of analysis, "
                 f"{reading:.1f} s of reading")
    return "\n".join(lines) + "\n"


def _told(scanned: Scanned) -> Iterator[str]:
    """What stands above the table: what is not proved, and what makes a proof say less than it seems to."""
    for row in scanned.rows:
        if row.verdict != "safe":
            yield row.message if row.finding.counts else next(diagnostics(row.finding))
        yield from (f"{displayed(scanned.head.file)}: warning: {row.variable}: {w}" for w in row.finding.warnings)
    if scanned.rows:
        yield from (f"{displayed(scanned.head.file)}: warning: {w}" for w in scanned.head.warnings)


def _aligned(text: str, column: str, width: int) -> str:
    return text.rjust(width) if column in _NUMBERS else text.ljust(width)


def table_markdown(files: Sequence[Scanned]) -> str:
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "|".join("---:" if c in _NUMBERS else "---" for c in COLUMNS) + "|"]
    for scanned in files:
        for cells in _cells(scanned):
            lines.append("| " + " | ".join(cells[c].replace("|", "\\|") for c in COLUMNS) + " |")
    return "\n".join(lines) + "\n"


def table_csv(files: Sequence[Scanned]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for scanned in files:
        for cells in _cells(scanned):
            writer.writerow({**cells, "time": cells["time"].removesuffix(" s")})
    return out.getvalue()


def table_json(files: Sequence[Scanned], flow_rule: bool, differences: Sequence[str] | None, status: int, fail_on: FailOn) -> str:
    data: dict[str, Any] = {"format": "circ-scan", "version": VERSION, "circ": circ_version(),
                            "files": [_file(f, flow_rule, fail_on) for f in files]}
    if differences is not None:
        data["differences"] = list(differences)
    return json.dumps({**data, "summary": verdict_counts(files), "status": status}, indent=1) + "\n"


def _file(scanned: Scanned, flow_rule: bool, fail_on: FailOn) -> dict[str, Any]:
    head = scanned.head
    data: dict[str, Any] = {
        "file": head.file, "lines": head.lines, "models": head.models, "status": scanned_status(scanned, fail_on),
        "error": head.error or None, "bug": head.bug or None, "limit": head.limit or None, "complete": scanned.complete,
        "missing": list(head.missing), "warnings": list(head.warnings),
        "answers": [{"variable": r.variable, "verdict": r.verdict, "engine": r.finding.engine, "message": r.message,
                     "predicates": list(r.finding.predicates), "acfa": r.acfa, "k": r.k, "assuming": list(r.finding.assuming),
                     "warnings": list(r.finding.warnings), "fingerprint": r.finding.fingerprint,
                     "suppressed": r.finding.suppressed or None, "in_baseline": r.finding.known,
                     "cached": r.cached, "time": r.seconds} for r in scanned.rows],
    }
    if flow_rule:
        data["flow_rule"] = flow_data(head.alarms, verdicts(scanned))
    return data


def verdicts(scanned: Scanned) -> Mapping[str, str]:
    """Each variable's verdict."""
    return {row.variable: row.verdict for row in scanned.rows}
