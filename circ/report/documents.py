"""A whole report as one document, in the forms that are written at the end of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from circ.report.formats.code_climate import code_climate
from circ.report.formats.github import workflow_commands
from circ.report.formats.junit import junit
from circ.report.formats.sarif import sarif
from circ.report.formats.table import table_csv, table_markdown
from circ.report.forms import FailOn, ReportForm
from circ.report.html.page import html_page
from circ.report.rows import Scanned


def document(form: ReportForm, files: Sequence[Scanned], status: int, finished: bool, fail_on: FailOn) -> str:
    """The report on all files; not `finished`: the run was interrupted."""
    match form:
        case ReportForm.HTML:
            return html_page(files, finished)
        case ReportForm.SARIF:
            return sarif(files, status, finished)
        case ReportForm.JUNIT:
            return junit(files, fail_on)
        case ReportForm.GITHUB:
            return workflow_commands(files)
        case ReportForm.CODE_CLIMATE:
            return code_climate(files)
        case ReportForm.CSV:
            return table_csv(files)
        case ReportForm.MARKDOWN:
            return table_markdown(files)
        case ReportForm.TEXT | ReportForm.GCC | ReportForm.JSON:
            raise ValueError(f"{form} is no document of findings alone")
        case _:
            assert_never(form)
