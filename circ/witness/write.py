"""The text of a witness: metadata, then what was found. The same verdicts of the same files give the same bytes.

So the identifier is made from the content, and the time of creation is what SOURCE_DATE_EPOCH says, else the beginning of 1970.
"""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from circ.verdict import Answer, Assertions, Certificate, RaceOn, Refuted, Result, Safe, Trace
from circ.witness.correctness import ProofInvariants, invariants
from circ.witness.entries import Place, WitnessWaypoint
from circ.witness.violation import segments
from frontend.program import DATA_MODELS, Program, read_source
from frontend.records import dataclass
from frontend.text.places.statements import Statements

PROOF_VERSION, VIOLATION_VERSION = "2.1", "2.1"
_C = "c_expression"
_NAMESPACE = uuid.UUID("6f0b2f2a-52a5-5d3e-9d0c-1d3b3f2f7c11")
"""Of the identifiers of our witnesses."""


@dataclass(frozen=True, slots=True)
class Producer:
    """Who says so."""

    name: str
    version: str


def witness_of(result: Result, complete: bool) -> Trace | tuple[Certificate, ...] | None:
    """What a witness of all answers about a program is made from: its first failure, else all proofs if everything is proved.

    The competition knows no atomicity: answers about that are not looked at.
    """
    verdicts = [a.verdict for a in result.answers if isinstance(a.question, RaceOn | Assertions)]
    refuted = next((v for v in verdicts if isinstance(v, Refuted)), None)
    if refuted is not None:
        return refuted.trace
    proofs = tuple(v.certificate for v in verdicts if isinstance(v, Safe))
    asked = bool(verdicts) or not result.answers
    return proofs if complete and asked and len(proofs) == len(verdicts) else None


def witness_text(program: Program, evidence: Trace | tuple[Certificate, ...], answers: Sequence[Answer], statements: Statements,
                 producer: Producer) -> str:
    """The witness, in YAML."""
    task = _task(program, all(isinstance(a.question, RaceOn) for a in answers))
    if isinstance(evidence, Trace):
        content = [{"segment": [{"waypoint": _waypoint(w)} for w in segment]}
                   for segment in segments(program, evidence, statements)]
        return _document([("violation_sequence", VIOLATION_VERSION, content)], task, producer)
    proof = invariants(program, evidence, statements)
    entries: list[tuple[str, str, Any]] = [("invariant_set", PROOF_VERSION, _invariants(proof))]
    if proof.ghosts:
        entries.append(("ghost_instrumentation", PROOF_VERSION, _ghosts(proof)))
    return _document(entries, task, producer)


# --------------------------------------------------------------------------------------------------- content
def _waypoint(w: WitnessWaypoint) -> dict[str, Any]:
    told: dict[str, Any] = {"type": w.type.value, "action": "follow", "location": _location(w.place)}
    if w.thread is not None:
        told["thread_id"] = w.thread
    if w.value:
        told["constraint"] = {"value": w.value, "format": _C}
    return told


def _invariants(proof: ProofInvariants) -> list[dict[str, Any]]:
    return [{"invariant": {"type": "loop_invariant" if i.loop else "location_invariant", "location": _location(i.place),
                           "value": i.value, "format": _C}} for i in proof.invariants]


def _ghosts(proof: ProofInvariants) -> dict[str, Any]:
    return {
        "ghost_variables": [{"name": g.name, "type": g.type, "scope": "global", "initial": {"value": g.initial, "format": _C}}
                            for g in proof.ghosts],
        "ghost_updates": [{"location": _location(u.place),
                           "updates": [{"variable": u.variable, "value": u.value, "format": _C}]} for u in proof.updates],
    }


def _location(place: Place) -> dict[str, Any]:
    return {"file_name": place.file, "line": place.line, "column": place.column, "function": place.function}


# --------------------------------------------------------------------------------------------------- metadata
def _task(program: Program, races: bool) -> dict[str, Any]:
    files = program.files or (program.file,)
    wanted = "data-race" if races else "call(reach_error())"
    return {
        "input_files": list(files),
        "input_file_hashes": {file: hash_of(file) for file in files},
        "specification": f"CHECK( init(main()), LTL(G ! {wanted}) )",
        "data_model": DATA_MODELS[program.data_model].widths.upper(),
        "language": "C",
    }


def hash_of(file: str) -> str:
    """SHA-256 of the bytes of a file, or of what was read of it where it is gone by now."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return hashlib.sha256(read_source(file).encode()).hexdigest()


def _document(entries: Sequence[tuple[str, str, Any]], task: Mapping[str, Any], producer: Producer) -> str:
    import yaml

    told = []
    for kind, version, content in entries:
        name = json.dumps([kind, version, content, task, producer.name, producer.version], sort_keys=True)
        told.append({"entry_type": kind, "metadata": {
            "format_version": version, "uuid": str(uuid.uuid5(_NAMESPACE, name)), "creation_time": creation_time(),
            "producer": {"name": producer.name, "version": producer.version}, "task": dict(task)}, "content": content})
    return str(yaml.dump(told, Dumper=_plain_dumper(), sort_keys=False, allow_unicode=True, width=1 << 30))


def _plain_dumper() -> Any:
    """Writes what occurs twice twice: readers need not know anchors."""
    import yaml

    class Plain(yaml.SafeDumper):  # type: ignore[misc]
        def ignore_aliases(self, data: object) -> bool:
            return True

    return Plain


def creation_time() -> str:
    """As reproducible builds want it."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(epoch) if epoch.isascii() and epoch.isdigit() and len(epoch) < 12 else 0
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
