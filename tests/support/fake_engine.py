"""An engine for tests that misbehaves as the variable's name says."""

from __future__ import annotations

import ctypes

from circ.verdict import Certificate, Observer, Options, OutOfTime, Question, Safe, Unknown, Verdict
from frontend.program import Program


class Fake:
    """Counts the questions it was asked, to show that one engine serves them all."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        self.asked += 1
        observer("round", {"number": self.asked})
        observer("dump", {"name": "arg", "dot": "digraph {}"})
        match str(question):
            case "stuck":
                ctypes.CDLL(None).sleep(3600)
            case "late":
                raise OutOfTime("gave up in time")
            case "bug":
                raise KeyError("a mistake")
            case "liar":
                return Safe(Certificate(program.fingerprint(), question, "pairs", {}))
        return Unknown(f"asked {self.asked}")


def engine() -> Fake:
    return Fake()
