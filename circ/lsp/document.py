"""What is known of one checked document, as the protocol wants it: diagnostics, lenses, hovers and actions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from lsprotocol import types
from pygls.uris import from_fs_path

from frontend.records import dataclass

SOURCE = "circ"
SHOW, ASSUME = "circ.showInterleaving", "circ.addAssumptions"
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_SEVERITY = {"race": types.DiagnosticSeverity.Warning, "violated": types.DiagnosticSeverity.Warning,
             "possible race": types.DiagnosticSeverity.Information}
MOST_STEPS = 50
"""Steps of a run that are given as related information; the interleaving has all of them."""


@dataclass(slots=True)
class CheckedDocument:
    """A document, the text of it that was checked, and what has been told of it so far."""

    path: str
    text: str
    program: dict[str, Any] | None = None
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    failure: dict[str, Any] | None = None
    done: bool = False

    def hear(self, event: dict[str, Any]) -> None:
        """Takes an event of `circ serve`."""
        match event["event"]:
            case "read":
                self.program = event["program"]
            case "answer":
                self.answers[event["answer"]["variable"] or "assertions"] = event["answer"]
            case "failed":
                self.failure = event
            case "end":
                self.done = True

    # ----------------------------------------------------------------------------------------------- places
    def range(self, place: dict[str, Any] | None) -> types.Range:
        """The word at a place, or the line if the column is not known; columns are counted as the protocol does, in UTF-16."""
        if place is None:
            return types.Range(types.Position(0, 0), types.Position(0, 0))
        lines = self.text.splitlines() if place["file"] == self.path else []
        row = place["line"] - 1
        line = lines[row] if row < len(lines) else ""
        start = max(0, place["column"] - 1)
        word = _WORD.match(line, start)
        end = word.end() if word else start + 1 if place["column"] else max(len(line), 1)
        return types.Range(types.Position(row, _units(line, start)), types.Position(row, _units(line, end)))

    def location(self, place: dict[str, Any] | None) -> types.Location:
        return types.Location(uri(place["file"] if place is not None else self.path), self.range(place))

    # ----------------------------------------------------------------------------------------------- diagnostics
    def diagnostics(self) -> dict[str, list[types.Diagnostic]]:
        """By the file that they stand in; an entry for this document even if there are none."""
        found: dict[str, list[types.Diagnostic]] = {uri(self.path): []}

        def put(place: dict[str, Any] | None, diagnostic: types.Diagnostic) -> None:
            found.setdefault(uri(place["file"] if place else self.path), []).append(diagnostic)

        if self.failure is not None:
            place, hint = self.failure["location"], self.failure["hint"]
            text = f"{self.failure['message']} ({hint})" if hint and "\n" not in hint else self.failure["message"]
            put(place, types.Diagnostic(self.range(place), text, types.DiagnosticSeverity.Error, code="not-read", source=SOURCE))
        for name, answer in self.answers.items():
            if answer["verdict"] in _SEVERITY:
                put(*self._diagnostic(name, answer))
        return found

    def _diagnostic(self, name: str, answer: dict[str, Any]) -> tuple[dict[str, Any] | None, types.Diagnostic]:
        first, message, related = self._told(name, answer)
        severity = types.DiagnosticSeverity.Hint if answer.get("suppressed") else _SEVERITY[answer["verdict"]]
        code = answer["verdict"].replace(" ", "-")
        return first, types.Diagnostic(self.range(first), message, severity, code=code, source=SOURCE,
                                       related_information=related, data={"variable": name})

    def _told(self, name: str, answer: dict[str, Any],
              ) -> tuple[dict[str, Any] | None, str, list[types.DiagnosticRelatedInformation]]:
        """Where, what, and the places that belong to it."""
        if "trace" not in answer:
            race = answer["possible"]
            first, second = race["first"], race["second"]
            related = [self._related(a["location"], _possible_access(a)) for a in (first, second)]
            return first["location"], f"possible race on '{name}': {race['why']}", related
        trace = answer["trace"]
        steps = [self._related(s["location"], f"step {n}: thread {s['thread']}: {s['text']}")
                 for n, s in enumerate(trace["steps"][:MOST_STEPS], 1)]
        if "failure" in trace:
            return trace["failure"]["location"], f"violated: {trace['failure']['text']}", steps
        first, second = trace["accesses"]
        message = (f"race on '{name}': thread {first['thread']} {_does(first)} while thread {second['thread']} "
                   f"{_does(second)} at line {(second['location'] or {}).get('line', '?')}")
        other = self._related(second["location"], f"thread {second['thread']} {_does(second)}")
        return first["location"], message, [other, *steps]

    def _related(self, place: dict[str, Any] | None, text: str) -> types.DiagnosticRelatedInformation:
        return types.DiagnosticRelatedInformation(self.location(place), text)

    # ----------------------------------------------------------------------------------------------- variables
    def variables(self) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
        """Each variable of the program with the answer about it, if there is one yet."""
        for variable in (self.program or {}).get("variables", ()):
            yield variable, self.answers.get(variable["name"])

    def lenses(self) -> list[types.CodeLens]:
        """The verdict above each variable that is declared here."""
        rows: dict[int, list[str]] = {}
        for variable, answer in self.variables():
            place = variable["location"]
            if place is not None and place["file"] == self.path:
                verdict = answer["verdict"] if answer is not None else "not decided yet" if self.done else "..."
                rows.setdefault(place["line"] - 1, []).append(f"{variable['name']}: {verdict}")
        return [types.CodeLens(types.Range(types.Position(row, 0), types.Position(row, 0)), types.Command("; ".join(texts), ""))
                for row, texts in sorted(rows.items())]

    def hover(self, position: types.Position) -> str | None:
        """What is known of the variable under the cursor: whether it is safe and why, and who accesses it where."""
        lines = self.text.splitlines()
        line = lines[position.line] if position.line < len(lines) else ""
        at = _characters(line, position.character)
        word = next((m[0] for m in _WORD.finditer(line) if m.start() <= at <= m.end()), None)
        meant = [(v, a) for v, a in self.variables() if word is not None and _is_called(v["name"], word)]
        return "\n\n---\n\n".join(_about(v, a) for v, a in meant) or None

    # ----------------------------------------------------------------------------------------------- actions
    def actions(self, asked: types.CodeActionParams) -> list[types.CodeAction]:
        """For the findings in a range: show the run, suppress with a reason; for a proof: write down what it assumes."""
        found: list[types.CodeAction] = []
        for diagnostic in asked.context.diagnostics:
            name = (diagnostic.data or {}).get("variable") if isinstance(diagnostic.data, dict) else None
            if diagnostic.source != SOURCE or name not in self.answers:
                continue
            if "trace" in self.answers[name]:
                found.append(types.CodeAction(
                    f"Show the interleaving on '{name}'", types.CodeActionKind.QuickFix, [diagnostic],
                    command=types.Command("Show the interleaving", SHOW, arguments=[uri(self.path), name])))
            if (edit := self._suppression(name)) is not None:
                found.append(types.CodeAction(
                    f"Suppress findings on '{name}' with a reason", types.CodeActionKind.QuickFix, [diagnostic], edit=edit))
        for variable, answer in self.variables():
            place = variable["location"]
            rows = range(asked.range.start.line, asked.range.end.line + 1)
            here = place is not None and place["file"] == self.path and place["line"] - 1 in rows
            if here and answer is not None and answer["verdict"] == "safe" and not answer.get("trivial"):
                found.append(types.CodeAction(
                    f"Add the assumptions that prove '{variable['name']}'", types.CodeActionKind.RefactorRewrite,
                    command=types.Command("Add the assumptions", ASSUME, arguments=[uri(self.path), variable["name"]])))
        return found

    def _suppression(self, name: str) -> types.WorkspaceEdit | None:
        """A comment above the declaration, for the user to complete: without a reason it is not obeyed."""
        place = next((v["location"] for v, _ in self.variables() if v["name"] == name), None)
        if place is None or place["file"] != self.path:
            return None
        at = types.Position(place["line"] - 1, 0)
        comment = types.TextEdit(types.Range(at, at), f"// circ-suppress {name}: \n")
        return types.WorkspaceEdit({uri(self.path): [comment]})

    def interleaving(self, name: str) -> str:
        """The run that shows a race, a step a line, one column a thread."""
        trace = self.answers.get(name, {}).get("trace")
        if trace is None:
            return f"there is no run that shows a race on '{name}'\n"
        width = 2 + max((len(_step(s)) for s in trace["steps"]), default=40)
        lines = [f"race on '{name}'" if "accesses" in trace else "violated: " + trace["failure"]["text"], "",
                 "".join(f"thread {n} ({t})".ljust(width) for n, t in enumerate(trace["threads"], 1)).rstrip()]
        lines += [" " * width * (s["thread"] - 1) + _step(s) for s in trace["steps"]]
        for access in trace.get("accesses", ()):
            line = (access["location"] or {}).get("line", "?")
            lines.append(" " * width * (access["thread"] - 1) + f"next: {_does(access)} (line {line})")
        return "\n".join(lines) + "\n"


# --------------------------------------------------------------------------------------------------- words
def uri(path: str) -> str:
    return str(from_fs_path(path))


def _units(line: str, characters: int) -> int:
    return len(line[:characters].encode("utf-16-le")) // 2 if not line.isascii() else characters


def _characters(line: str, units: int) -> int:
    return len(line.encode("utf-16-le")[:2 * units].decode("utf-16-le", "ignore")) if not line.isascii() else units


def _is_called(name: str, word: str) -> bool:
    """Whether a word in the text may mean the variable: its name, that of its object, or the field that it is."""
    parts = re.split(r"::|\.|->|:|\[\]", name)
    return word in [p for p in parts if p]


def _does(access: dict[str, Any]) -> str:
    return f"{'writes' if access['write'] else 'reads'} {access['cell']}" + (f" in '{access['text']}'" if access["text"] else "")


def _possible_access(access: dict[str, Any]) -> str:
    locks = f"holds {', '.join(access['locks'])}" if access.get("locks") else "holds no lock"
    return f"{access['thread']} {'writes' if access['write'] else 'reads'} {access['cell']}; {locks}"


def _step(step: dict[str, Any]) -> str:
    values = ", ".join(f"{v['variable']} = {v['value']}" for v in step["values"])
    line = f"{step['location']['line']}: " if step["location"] else ""
    return f"{line}{step['text']}" + (f"  {{{values}}}" if values else "")


_MARKUP = re.compile(r"([\\`*_<\[])")


def _plain(text: str) -> str:
    """The text as Markdown that shows it as it is: `timer_overflow` and `*p` mean no emphasis."""
    return _MARKUP.sub(r"\\\1", text)


def _about(variable: dict[str, Any], answer: dict[str, Any] | None) -> str:
    """Markdown about a variable."""
    said = "**being checked**" if answer is None else f"**{answer['verdict']}**"
    lines = [f"`{variable['name']}`: {said}"]
    if answer is not None:
        lines += [f"- {_plain(why)}" for why in answer.get("why", ())]
        lines += [f"- {_plain(answer['possible']['why'])}"] if "possible" in answer else []
        lines += [f"- {_plain(answer['reason'])}"] if "reason" in answer and "possible" not in answer else []
        lines += [f"- assuming: {_plain(a['text'])}" for a in answer.get("assuming", ())]
    lines.append("")
    for access in variable["accesses"]:
        place = access["location"]
        where = f"line {place['line']}" if place else "somewhere"
        inside = ", in an atomic section or a lock operation" if access["protected"] else ""
        lines.append(f"- `{access['thread']}` {'writes' if access['write'] else 'reads'} it at {where}{inside}")
    return "\n".join(lines)
