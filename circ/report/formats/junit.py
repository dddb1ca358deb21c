"""JUnit's XML, which build servers show: a suite for each program, a test case for each question.

A race is a failure, what is undecided or suppressed is skipped, a file that cannot be read is an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from circ.report.findings import Finding
from circ.report.forms import FailOn
from circ.report.gcc import diagnostics
from circ.report.rows import Row, Scanned
from circ.report.summary import FOUND, UNDECIDED, finding_status
from frontend.program import displayed

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot have."""


def junit(files: Sequence[Scanned], fail_on: FailOn = FailOn.UNKNOWN) -> str:
    """One document; what `--fail-on` names fails."""
    suites = Element("testsuites", name="circ")
    for scanned in files:
        suite = SubElement(suites, "testsuite", name=_xml(displayed(scanned.head.file)))
        if why := scanned.head.unread:
            place = scanned.head.unread_at
            case = SubElement(suite, "testcase", classname=_xml(displayed(scanned.head.file)), name="reading", time="0.000",
                              file=_xml(displayed(place.file)), line=str(place.line))
            SubElement(case, "error", message=_xml(why), type="input")
        for row in scanned.rows:
            _case(suite, row, fail_on)
        _count(suite)
    _count(suites)
    indent(suites, " ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _case(suite: Element, row: Row, fail_on: FailOn) -> None:
    f = row.finding
    case = SubElement(suite, "testcase", classname=_xml(displayed(row.file)), name=_xml(_name(f)), time=f"{row.seconds:.3f}",
                      file=_xml(displayed(f.place.file)), line=str(f.place.line))
    told = _xml("\n".join(diagnostics(f)))
    status = finding_status(f, fail_on)
    if f.bug:
        SubElement(case, "error", message=_xml(f.message), type="internal error").text = told
    elif status in (FOUND, UNDECIDED):
        SubElement(case, "failure", message=_xml(f.message), type=f.verdict).text = told
    elif f.verdict != "safe":
        why = f"suppressed: {f.suppressed}" if f.suppressed else "in the baseline" if f.known else f.verdict
        SubElement(case, "skipped", message=_xml(f"{why}: {f.message}"))


def _name(finding: Finding) -> str:
    return f"no race on {finding.variable}" if finding.variable is not None else "no assertion fails"


def _count(suite: Element) -> None:
    cases = list(suite.iter("testcase"))
    suite.set("tests", str(len(cases)))
    for what, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(what, str(sum(case.find(tag) is not None for case in cases)))
    suite.set("time", f"{sum(float(case.get('time', 0)) for case in cases):.3f}")


def _xml(text: str) -> str:
    return _NO_XML.sub("?", text)
