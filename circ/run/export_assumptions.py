"""`circ check --export-assumption`: a program's text with annotations that say what was inferred about it.

Loops get the invariant `\\true`, where they stand; the rest goes to the end of the text, so that no line moves.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from circ import engines
from circ.guarantee.exported_annotations import exported
from circ.kernel.outcome import Accepted
from circ.report.summary import PROVED, UNDECIDED
from circ.run.check import judge
from circ.run.output_files import encoded, write_whole
from circ.run.reading import load_within
from circ.run.supervise import Crashed, Done, Emit, supervise
from circ.run.triage import triage
from circ.verdict import Certificate, Options, RaceOn, Safe, silent, subjects
from frontend import LoadOptions, SourceFile, load, resolve_variable
from frontend.annotations.attach import attach, open_loops
from frontend.annotations.clauses import clauses
from frontend.program import Location, Program, read_source
from frontend.records import dataclass
from frontend.text.parse import SourceOptions, parse

if TYPE_CHECKING:
    from circ.run.session import Request

LOOP = "/*@ loop invariant \\true; */ "


@dataclass(frozen=True, slots=True)
class Exported:
    """The annotated text; or, if there is none, why."""

    text: str = ""
    reason: str = ""


def export(path: str, source: LoadOptions, variables: tuple[str, ...] | None, engine: str, options: Options) -> Exported:
    """The file with annotations that prove what the engine proved about the variables (all shared ones if None)."""
    text = _with_loops(path, source)
    program = _loaded(path, text, source)
    wanted = {v.name for v in subjects(program)} if variables is None else {
        v.name for name in variables for v in resolve_variable(program, name)}
    proofs: list[tuple[RaceOn, Certificate]] = []
    entry = engines.find("omega-circ" if engine == engines.DEFAULT else engine)
    assert entry is not None
    prove = entry.load()
    for v in program.globals:
        question = RaceOn(v.name)
        if v.name not in wanted or triage(program, question) is not None:
            continue  # what is plain needs no annotation
        verdict = prove(program, question, options, silent)
        if not isinstance(verdict, Safe) or not isinstance(judge(program, question, verdict.certificate), Accepted):
            return Exported(reason=f"{entry.name} does not prove that there is no race on '{v.shown or v.name}'")
        proofs.append((question, verdict.certificate))
    lines = exported(program, proofs, options) if proofs else ()
    if lines is None:
        return Exported(reason="no annotation of the usual shapes says what was inferred")
    return Exported(text + ("" if text.endswith("\n") else "\n") + "".join(f"{line}\n" for line in lines))


def print_exported(files: Sequence[str], request: Request, output: Path | None) -> int:
    """Print (or write) the annotated text of each file; the status that `circ` ends with."""
    def start() -> Callable[[str, Emit], Exported]:
        def one(file: str, emit: Emit) -> Exported:
            deadline = None if request.timeout is None else time.monotonic() + request.timeout
            return export(file, request.source, request.variables, request.engine,
                          Options(deadline=deadline, unroll=request.unroll))

        return one

    texts: list[str] = []
    status = PROVED
    for file in files:
        load_within([SourceFile(file)], request.source, request.limits)  # what is wrong with it is told before anything is tried
    for file, outcome in supervise(list(files), start, request.limits, starts_others=request.source.cpp is not None):
        reason = outcome.value.reason if isinstance(outcome, Done) else "no answer within the limits"
        if isinstance(outcome, Crashed):
            raise RuntimeError(outcome.error)
        if reason:
            print(f"{file}:1: unknown: nothing to export: {reason}", file=sys.stderr)
            status = UNDECIDED
        elif isinstance(outcome, Done):
            texts.append(outcome.value.text)
    if output is None:
        sys.stdout.write("".join(texts))
    else:
        write_whole(output, encoded("".join(texts)))
    return status


def _with_loops(path: str, source: LoadOptions) -> str:
    """The text with an invariant before every loop that has none."""
    parsed = parse(path, SourceOptions(source.include, source.define, source.undefine, source.cpp, source.data_model or "lp64"))
    attached = attach(clauses(parsed.annotations), parsed.ast, parsed.location)
    lines = read_source(path).split("\n")
    for place in reversed(open_loops(attached, parsed.ast, path, parsed.location)):
        line = lines[place.line - 1]
        at = _column(line, place)
        lines[place.line - 1] = line[:at] + LOOP + line[at:]
    return "\n".join(lines)


def _column(line: str, place: Location) -> int:
    return min(max(place.column - 1, 0), len(line))


def _loaded(path: str, text: str, source: LoadOptions) -> Program:
    """The program of a text that stands where the file stands."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / Path(path).name
        copy.write_text(text)
        beside = str(Path(path).resolve().parent)
        return load(copy, replace(source, include=(*source.include, beside), contracts=True))
