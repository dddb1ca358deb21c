"""Diagnostics alone, one a line, as gcc writes them: for whoever follows `file:line:column: warning:` and `note:`."""

from __future__ import annotations

from collections.abc import Iterator

from circ.report.findings import Finding, FoundAccess, FoundStep


def diagnostics(finding: Finding) -> Iterator[str]:
    """What is not proved: the finding, then a note for each of its accesses and each step of its run."""
    if finding.verdict == "safe":
        return
    uncounted = f"suppressed ({finding.suppressed}): " if finding.suppressed else "in the baseline: " if finding.known else ""
    yield f"{finding.place}: {'note' if uncounted else 'warning'}: {uncounted}{finding.message}"
    if uncounted:
        return
    yield from (f"{a.location}: note: {access_text(a)}" for a in finding.accesses)
    for number, step in enumerate(finding.steps, 1):
        who = f"thread {step.thread} ({finding.threads[step.thread - 1]})"
        yield f"{step.location}: note: step {number}: {who}: {step_text(step)}"
    yield from (f"{finding.place}: note: {w}" for w in finding.warnings)


def access_text(access: FoundAccess) -> str:
    """Who does what, and where it is known with which locks."""
    who = f"thread {access.number} ({access.thread})" if access.number else access.thread
    within = f" in '{access.text}'" if access.text else ""
    holds = "" if access.number else f"; holds {', '.join(access.locks) or 'no lock'}"
    return f"{who} {'writes' if access.write else 'reads'} {access.cell}{within}{holds}"


def step_text(step: FoundStep) -> str:
    """What the step does, and in braces the values that it read and wrote."""
    values = ", ".join(f"{v.variable} = {v.value}" for v in step.values)
    return step.text + (f"  {{{values}}}" if values else "")
