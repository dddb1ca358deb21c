"""`circ recheck` and `circ replay`: a proof or a race from a file, held against the program it is about."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

from circ.endings import fail, reason
from circ.inputs import Inputs
from circ.report.summary import FOUND, PROVED
from circ.run.reading import load_within
from circ.run.supervise import Limits
from frontend.program import read_data
from frontend.text.compilers import OWN


def judge_file(path: Path, inputs: Inputs, cpp: str | None, limits: Limits, proof: bool, as_recorded: bool = False) -> NoReturn:
    """Check the proof, or run the race again, that a file holds; exit status: 0 it is right, 1 it is not, 2 unreadable."""
    from circ.kernel.outcome import Refused
    from circ.report.text import evidence_text, file_text
    from circ.run.certificate_files import UnreadableCertificate, parse
    from circ.run.check import judge_within
    from circ.verdict import Answer, Certificate, Refuted, Result, Safe

    try:
        evidence, source = parse(read_data(str(path)))
        if isinstance(evidence, Certificate) != proof:
            raise UnreadableCertificate("a trace, use `circ replay`" if proof else "a proof, use `circ recheck`")
    except (UnreadableCertificate, OSError, UnicodeDecodeError) as error:
        fail(f"{path}: error: {reason(error, path)} (name a file that --certificate has written)")
    if source.cpp not in (None, OWN) and source.cpp != cpp:
        # A file from somebody else must not decide which programs run here.
        fail(f"{path}: error: made with the preprocessor '{source.cpp}', which is not run unasked (give --cpp '{source.cpp}')")
    program = load_within(inputs.program(source, limits), source, limits)
    judgement = judge_within(program, evidence, limits)
    if isinstance(judgement, Refused):
        print(f"{path}: refused: {judgement}")
        sys.exit(FOUND)
    missing = inputs.missing_threads(source, program, limits) if proof else []
    if missing and not as_recorded:
        print(f"{path}: refused: it is about other threads than the files have: {', '.join(missing)} (--as-recorded takes it so)")
        sys.exit(FOUND)
    sys.stdout.write(f"{path}: accepted: {evidence_text(program, evidence)}")
    # The file decides how the program was read, so what it decided is said.
    verdict = Safe(evidence) if isinstance(evidence, Certificate) else Refuted(evidence)
    answer = Answer(evidence.question, "", verdict, "", (), judgement.assumptions)
    sys.stdout.write(file_text(Result(program, (answer,))))
    read_with = [f"-{letter} {text}" for letter, texts in (("D", source.define), ("U", source.undefine)) for text in texts]
    if read_with:
        print(f"  read with: {' '.join(read_with)}")
    if missing:
        print(f"  WARNING: about other threads than the files have: {', '.join(missing)}")
    sys.exit(PROVED)
