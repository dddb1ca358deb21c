"""Witnesses of one run of `circ check`: the one that is tried (`--witness`), and the one that is written (`--witness-out`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from circ.report.json import circ_version
from circ.report.summary import plural
from circ.run.output_files import encoded, write_whole
from circ.run.reading import NotRead, read_within, why_not
from circ.run.supervise import Limits
from circ.verdict import Hints, Result
from circ.witness.entries import Witness
from circ.witness.hints import Understood, WitnessReader
from circ.witness.witness_file import read_witness
from circ.witness.write import Producer, hash_of, witness_of, witness_text
from frontend import LoadOptions, SourceFile
from frontend.api import statements_of
from frontend.program import FrontendError, Program, displayed


class Witnesses:
    """What is tried and written in one run; `given` is read when this is made, which raises FrontendError for a bad file."""

    def __init__(self, given: Path | None, output: Path | None) -> None:
        self.path, self.output = given, output
        self.given: Witness | None = None if given is None else read_witness(str(given))
        self.written = 0

    def hints(self, program: Program, files: Sequence[SourceFile], source: LoadOptions,
              limits: Limits) -> tuple[Hints | None, list[str]]:
        """What of the witness can be tried on a program, and what the user is to know about that. Raises as reading does."""
        witness = self.given
        assert witness is not None and self.path is not None

        def work() -> Understood:
            return WitnessReader(program, statements_of(files, source)).understood(witness)

        understood = read_within(files, source, limits, work)
        name = displayed(str(self.path))
        what = "waypoint" if witness.violation else "invariant"
        found = understood.hints
        gives = "a schedule" if found.schedule else plural(len(found.predicates), "predicate") if found.predicates else "nothing"
        notes = [f"{name}: note: {understood.used} of {plural(understood.said, what)} can be tried, as {gives}; "
                 "nothing of it is believed"]
        notes += [f"{name}: warning: it is about {what}" for what in _differences(witness, files)]
        return found if found.schedule or found.predicates else None, notes

    def write(self, result: Result, complete: bool, files: Sequence[SourceFile], source: LoadOptions, limits: Limits) -> str:
        """Writes the witness of what was found about a program; why not, if it cannot be. Raises OSError."""
        assert self.output is not None
        evidence = witness_of(result, complete)
        if evidence is None:
            return f"circ: note: no witness for {displayed(result.program.file)}: nothing failed, and not everything is proved"

        def work() -> str:
            return witness_text(result.program, evidence, result.answers, statements_of(files, source),
                                Producer("circ", circ_version()))

        try:
            text = read_within(files, source, limits, work)
        except FrontendError as error:
            return f"circ: note: no witness: {error}"
        except NotRead as error:
            return f"circ: note: no witness: {why_not(error)[0]}"
        self.written += 1
        path = self.output
        write_whole(path if self.written == 1 else path.with_name(f"{path.stem}-{self.written}{path.suffix}"), encoded(text))
        return ""


def _differences(witness: Witness, files: Sequence[SourceFile]) -> list[str]:
    """What the witness is about instead of these files, by the names and hashes that it has."""
    known = {os.path.basename(name): digest.lower() for name, digest in witness.hashes if len(digest) == 64}
    mine = {os.path.basename(file.path): file.path for file in files}
    if known and not known.keys() & mine.keys():
        return [f"another file, {displayed(next(iter(known)))}"]
    return [f"another version of {displayed(path)}" for name, path in mine.items()
            if name in known and known[name] != hash_of(path)]
