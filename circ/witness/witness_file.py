"""Reads a witness that anybody may have written. What it leaves out of the format is refused where circ needs it, with its line;
what it has beyond it is not looked at."""

from __future__ import annotations

from collections.abc import Iterable

from circ.witness.entries import (
    VERSIONS,
    GhostUpdate,
    GhostVariable,
    Place,
    WaypointType,
    Witness,
    WitnessInvariant,
    WitnessWaypoint,
)
from circ.witness.located_yaml import Mapping, Node, Scalar, Sequence, read_yaml, wrong
from frontend.program import read_data

_PROOF, _GHOSTS, _VIOLATION = "invariant_set", "ghost_instrumentation", "violation_sequence"
_LONGEST = 20_000


def read_witness(path: str) -> Witness:
    """The witness in a file; raises FrontendError."""
    return parse_witness(read_data(path), path)


def parse_witness(text: str, path: str) -> Witness:
    """The witness in a text, that of the file `path`; raises FrontendError."""
    return _Reader(path).witness(read_yaml(text, path))


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path

    def witness(self, root: Node) -> Witness:
        segments: list[tuple[WitnessWaypoint, ...]] = []
        invariants: list[WitnessInvariant] = []
        ghosts: list[GhostVariable] = []
        updates: list[GhostUpdate] = []
        hashes: dict[str, str] = {}
        kinds: dict[str, int] = {}
        for entry in self.items(root, "a list of entries"):
            kind = self.text(entry, "entry_type")
            if kind in kinds:
                raise wrong(self.path, entry.line, f"a second entry of the type {kind}")
            kinds[kind] = entry.line
            self.version(entry)
            hashes.update(self.hashes(entry))
            content = self.child(entry, "content")
            if kind == _PROOF:
                invariants += self.invariants(content)
            elif kind == _GHOSTS:
                ghosts += map(self.ghost, self.items(self.child(content, "ghost_variables"), "a list of ghost variables"))
                for at in self.items(self.child(content, "ghost_updates"), "a list of ghost updates"):
                    updates += self.updates(at)
            elif kind == _VIOLATION:
                segments += map(self.segment, self.items(content, "a list of segments"))
            else:
                raise wrong(self.path, entry.line, f"unknown entry_type '{kind[:40]}' ({_PROOF}, {_GHOSTS}, {_VIOLATION})")
        if _VIOLATION in kinds and len(kinds) > 1:
            raise wrong(self.path, kinds[_VIOLATION], "it claims a violation and a proof")
        if not kinds:
            raise wrong(self.path, root.line, "there is no entry in it")
        return Witness(tuple(segments), tuple(invariants), tuple(ghosts), tuple(updates), tuple(hashes.items()),
                       _VIOLATION in kinds)

    # ----------------------------------------------------------------------------------------------- entries
    def version(self, entry: Node) -> None:
        metadata = self.child(entry, "metadata")
        version = self.text(metadata, "format_version")
        if version not in VERSIONS:
            raise wrong(self.path, metadata.line, f"format_version '{version[:20]}' (one of {', '.join(VERSIONS)})")

    def hashes(self, entry: Node) -> dict[str, str]:
        found: Node | None = entry
        for name in ("metadata", "task", "input_file_hashes"):
            found = found.items.get(name) if isinstance(found, Mapping) else None
        if not isinstance(found, Mapping):
            return {}
        return {name: node.text for name, node in found.items.items() if isinstance(node, Scalar)}

    def invariants(self, content: Node) -> Iterable[WitnessInvariant]:
        for item in self.items(content, "a list of invariants"):
            found = item.items.get("invariant") if isinstance(item, Mapping) else None
            if found is None:  # a function contract, which says nothing that could be tried as a predicate
                continue
            kind = self.text(found, "type")
            if kind in ("loop_invariant", "location_invariant"):
                yield WitnessInvariant(self.place(found), self.text(found, "value"), found.line, kind == "loop_invariant")

    def ghost(self, item: Node) -> GhostVariable:
        initial = self.child(item, "initial")
        return GhostVariable(self.text(item, "name"), self.text(item, "type"),
                             initial.text if isinstance(initial, Scalar) else self.text(initial, "value"))

    def updates(self, item: Node) -> Iterable[GhostUpdate]:
        place = self.place(item)
        for update in self.items(self.child(item, "updates"), "a list of updates"):
            yield GhostUpdate(place, self.text(update, "variable"), self.text(update, "value"))

    def segment(self, item: Node) -> tuple[WitnessWaypoint, ...]:
        waypoints = self.items(self.child(item, "segment"), "a list of waypoints")
        return tuple(self.waypoint(self.child(w, "waypoint")) for w in waypoints)

    def waypoint(self, node: Node) -> WitnessWaypoint:
        kind = self.text(node, "type")
        if kind not in list(WaypointType):
            raise wrong(self.path, node.line, f"unknown type of a waypoint '{kind[:40]}' ({', '.join(WaypointType)})")
        action = self.text(node, "action")
        if action not in ("follow", "avoid"):
            raise wrong(self.path, node.line, "the action of a waypoint is follow or avoid")
        constraint = node.items.get("constraint") if isinstance(node, Mapping) else None
        value = "" if constraint is None else self.text(constraint, "value")
        thread = self.natural(node, "thread_id", 10_000) if isinstance(node, Mapping) and "thread_id" in node.items else None
        return WitnessWaypoint(WaypointType(kind), self.place(node), node.line, value, thread, action == "follow")

    # ----------------------------------------------------------------------------------------------- parts
    def place(self, node: Node) -> Place:
        location = self.child(node, "location")
        function = location.items.get("function") if isinstance(location, Mapping) else None
        has_column = isinstance(location, Mapping) and "column" in location.items
        return Place(self.text(location, "file_name"), self.natural(location, "line"),
                     self.natural(location, "column") if has_column else 0,
                     function.text if isinstance(function, Scalar) else "")

    def items(self, node: Node, what: str) -> tuple[Node, ...]:
        if not isinstance(node, Sequence):
            raise wrong(self.path, node.line, f"expected {what}")
        return node.items

    def child(self, node: Node, name: str) -> Node:
        if not isinstance(node, Mapping) or name not in node.items:
            raise wrong(self.path, node.line, f"'{name}' is missing")
        return node.items[name]

    def text(self, node: Node, name: str) -> str:
        found = self.child(node, name)
        if not isinstance(found, Scalar) or len(found.text) > _LONGEST:
            raise wrong(self.path, found.line, f"'{name}' is no text, or too long")
        return found.text

    def natural(self, node: Node, name: str, most: int = 10**9) -> int:
        text = self.text(node, name)
        if not (text.isascii() and text.isdigit() and len(text) < 12 and int(text) <= most):
            raise wrong(self.path, self.child(node, name).line, f"'{name}' is no number, or too large")
        return int(text)
