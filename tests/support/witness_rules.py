"""The rules of the witness format (2.0 to 2.1, and threads and ghost variables of the drafts for concurrent programs), written down
from its description and independently of circ: who wrote a witness is no matter.

`broken_rules(text, folder)` names what a witness breaks; the C files that it is about lie in `folder`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import yaml
from pycparser import CParser

_SPECIFICATION = re.compile(r"CHECK\( init\(main\(\)\), LTL\(G (?:! data-race|! call\(\w+\(\)\)|valid-free|valid-deref|! overflow)\) \)")
_LOOP = re.compile(r"(?:for|while|do)\b")
_BRANCH = re.compile(r"(?:if|for|while|do|switch)\b|.*\?")
_WORD = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")
_C_WORDS = frozenset(["sizeof", "int", "long", "short", "char", "unsigned", "signed", "_Bool", "void", "struct"])

METADATA: Mapping[str, Callable[[Any], bool]] = {
    "format_version": lambda v: v in ("2.0", "2.1"),
    "uuid": lambda v: str(UUID(v)) == v,
    "creation_time": lambda v: datetime.fromisoformat(v).tzinfo is not None,
    "producer": lambda v: {"name", "version"} <= v.keys() <= {"name", "version", "configuration", "description", "command_line"},
    "task": lambda v: v.keys() == {"input_files", "input_file_hashes", "specification", "data_model", "language"},
}


def broken_rules(text: str, folder: Path) -> list[str]:
    """What is wrong with a witness, a line each."""
    try:
        return list(_Rules(folder).of(yaml.load(text, Loader=yaml.BaseLoader)))  # scalars as they are written
    except (yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError) as error:
        return [f"it has another shape: {type(error).__name__}: {error}"]


class _Rules:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ghosts: set[str] = set()
        self.texts: dict[str, list[str]] = {}

    def of(self, entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        kinds = [entry["entry_type"] for entry in entries]
        if not entries or (("violation_sequence" in kinds) and len(kinds) > 1):
            yield "a violation stands alone, and something stands there"
        for entry in entries:
            if entry.keys() != {"entry_type", "metadata", "content"}:
                yield f"an entry has the keys {sorted(entry)}"
            yield from self._metadata(entry["metadata"])
        for entry in entries:
            if entry["entry_type"] == "ghost_instrumentation":
                yield from self._ghosts(entry["content"])
        for entry in entries:
            match entry["entry_type"]:
                case "invariant_set":
                    for item in entry["content"]:
                        yield from self._invariant(item)
                case "violation_sequence":
                    yield from self._violation(entry["content"])
                case "ghost_instrumentation":
                    pass
                case kind:
                    yield f"there is no entry '{kind}'"
        if self.ghosts and "invariant_set" not in kinds:
            yield "ghost variables are for invariants"

    def _metadata(self, data: Mapping[str, Any]) -> Iterator[str]:
        if data.keys() != METADATA.keys():
            yield f"metadata has the keys {sorted(data)}"
        yield from (f"metadata: {key} is {data[key]}" for key, right in METADATA.items() if not right(data[key]))
        task = data["task"]
        if task["input_file_hashes"].keys() != set(task["input_files"]):
            yield "each input file has its hash, and nothing else has"
        for name, told in task["input_file_hashes"].items():
            content = (self.folder / name).read_bytes()
            self.texts[name] = content.decode().split("\n")
            if hashlib.sha256(content).hexdigest() != told:
                yield f"the hash is not that of {name}"
        if not _SPECIFICATION.fullmatch(task["specification"]):
            yield f"no specification: {task['specification']}"
        if task["data_model"] not in ("ILP32", "LP64") or task["language"] != "C":
            yield f"data model {task['data_model']}, language {task['language']}"

    # ------------------------------------------------------------------------------------------- parts
    def _place(self, place: Mapping[str, Any]) -> tuple[str, list[str]]:
        """The text from a place on, and what is wrong with it."""
        if not {"file_name", "line"} <= place.keys() <= {"file_name", "line", "column", "function"}:
            return "", [f"a location has the keys {sorted(place)}"]
        lines, number, column = self.texts.get(place["file_name"], []), int(place["line"]), int(place.get("column", 1))
        if not 1 <= number <= len(lines) or not 1 <= column <= len(lines[number - 1]):
            return "", [f"there is no place {place['file_name']}:{number}:{column}"]
        if "function" in place and not re.search(rf"\b{place['function']}\s*\(", "\n".join(lines[:number])):
            return "", [f"no function {place['function']} begins before line {number}"]
        return lines[number - 1][column - 1:], []

    def _expression(self, data: Mapping[str, Any]) -> Iterator[str]:
        value = data["value"]
        if data["format"] not in ("c_expression", "ext_c_expression"):
            yield f"an expression of format {data['format']}"
        try:
            CParser().parse(f"void f(void) {{ ({value}); }}")
        except Exception:
            yield f"no expression of C: {value}"
        program = "\n".join(line for lines in self.texts.values() for line in lines)
        for word in set(_WORD.findall(value)) - self.ghosts - _C_WORDS:
            if not re.search(rf"\b{word}\b", program):
                yield f"'{word}' is neither of the program nor a ghost variable"

    def _ghosts(self, content: Mapping[str, Any]) -> Iterator[str]:
        if content.keys() != {"ghost_variables", "ghost_updates"}:
            yield f"ghosts have the keys {sorted(content)}"
        program = "\n".join(line for lines in self.texts.values() for line in lines)
        for ghost in content["ghost_variables"]:
            if ghost.keys() != {"name", "type", "scope", "initial"} or ghost["scope"] != "global":
                yield f"a ghost variable is {ghost}"
            if ghost["name"] in self.ghosts or re.search(rf"\b{ghost['name']}\b", program):
                yield f"the name {ghost['name']} is taken"
            self.ghosts.add(ghost["name"])
            yield from self._expression(ghost["initial"])
        for update in content["ghost_updates"]:
            yield from self._place(update["location"])[1]
            for each in update["updates"]:
                if each.keys() != {"variable", "value", "format"} or each["variable"] not in self.ghosts:
                    yield f"an update is {each}"
                yield from self._expression(each)

    def _invariant(self, item: Mapping[str, Any]) -> Iterator[str]:
        invariant = item["invariant"]
        if item.keys() != {"invariant"} or invariant.keys() != {"type", "location", "value", "format"}:
            yield f"an invariant is {item}"
        at, wrong = self._place(invariant["location"])
        yield from wrong
        yield from self._expression(invariant)
        if invariant["type"] not in ("loop_invariant", "location_invariant"):
            yield f"an invariant of type {invariant['type']}"
        elif invariant["type"] == "loop_invariant" and not wrong and not _LOOP.match(at):
            yield f"a loop invariant where no loop begins: {at}"
        elif at.startswith(("{", "}", ")", ";")):
            yield f"an invariant where no statement begins: {at}"

    def _violation(self, content: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        for number, item in enumerate(content, 1):
            waypoints = [w["waypoint"] for w in item["segment"]]
            actions = [w["action"] for w in waypoints]
            if item.keys() != {"segment"} or actions != ["avoid"] * (len(actions) - 1) + ["follow"]:
                yield f"segment {number} is no number of waypoints to avoid and one to follow"
            for w in waypoints:
                yield from self._waypoint(w)
            if ("target" in [w["type"] for w in waypoints]) != (number == len(content)):
                yield f"segment {number}: the target is at the end, and there only"
        if not content:
            yield "a violation has a segment at least"

    def _waypoint(self, w: Mapping[str, Any]) -> Iterator[str]:
        if not {"type", "action", "location"} <= w.keys() <= {"type", "action", "location", "constraint", "thread_id"}:
            yield f"a waypoint has the keys {sorted(w)}"
        if "thread_id" in w and not re.fullmatch("[0-9]+", w["thread_id"]):
            yield f"the thread {w['thread_id']}"
        at, wrong = self._place(w["location"])
        yield from wrong
        match w["type"]:
            case "assumption":
                yield from self._expression(w["constraint"])
                if at.startswith(("}", ")")):
                    yield f"an assumption where nothing begins: {at}"
            case "target" | "function_enter":
                if "constraint" in w:
                    yield f"a {w['type']} with a constraint"
            case "function_return":
                yield from self._expression(w["constraint"])
            case "branching":
                if w["constraint"]["value"] not in ("true", "false") or not _BRANCH.match(at):
                    yield f"a branch at {at}"
            case kind:
                yield f"there is no waypoint '{kind}'"
