"""A whole report as one document, in the forms that are written at the end of a run. A writer is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from circ.report.forms import FailOn, ReportForm
from circ.report.rows import Scanned


def document(form: ReportForm, files: Sequence[Scanned], status: int, finished: bool, fail_on: FailOn) -> str:
    """The report on all files; not `finished`: the run was interrupted."""
    match form:
        case ReportForm.HTML:
            from circ.report.html.page import html_page

            return html_page(files, finished)
        case ReportForm.SARIF:
            from circ.report.formats.sarif import sarif

            return sarif(files, status, finished)
        case ReportForm.JUNIT:
            from circ.report.formats.junit import junit

            return junit(files, fail_on)
        case ReportForm.GITHUB:
            from circ.report.formats.github import workflow_commands

            return workflow_commands(files)
        case ReportForm.CODE_CLIMATE:
            from circ.report.formats.code_climate import code_climate

            return code_climate(files)
        case ReportForm.CSV:
            from circ.report.formats.table import table_csv

            return table_csv(files)
        case ReportForm.MARKDOWN:
            from circ.report.formats.table import table_markdown

            return table_markdown(files)
        case ReportForm.TEXT | ReportForm.GCC | ReportForm.JSON:
            raise ValueError(f"{form} is no document of findings alone")
        case _:
            assert_never(form)
